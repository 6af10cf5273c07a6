//! A generated corpus: secrets of many kinds as services document them, in the files in which people leave them.
//!
//! Nothing here is a secret: every value is made at run time from a form and a fixed seed. In a form, `{a36}` stands for 36
//! letters and digits; the other classes are in [`Random::class`]. A form with `=` has a name of its own; all others are assigned
//! to a name that says nothing, so that only the value itself can be recognised.

use super::super::redact;

const FORMS: &str = "
ghp_{a36} gho_{a36} ghu_{a36} ghs_{a36} ghr_{a36} github_pat_{a22}_{a59}
glpat-{w20} gldt-{w20} glrt-{w20} glptt-{h40} glcbt-{a2}_{w20} gloas-{w64} glsoat-{w20} glft-{w20} glimt-{w25} glagent-{w50} glffct-{w20}
GR1348941{w20} ATBB{a32} ATATT3xFfGF0{w180} ATCTT3xFfGN0{w180} ATTA{h64}{U8}
AKIA{u16} ASIA{u16} ABIA{u16} ACCA{u16} ABSK{b120} AIza{w35} GOCSPX-{w28} ya29.{w120} 1//0{w60} LTAI{a20} AKID{a32} SCW{U17}
dop_v1_{h64} doo_v1_{h64} dor_v1_{h64} {w3}8Q~{w34} HRKU-AA{w58} fo1_{w43} fm1r_{b120} fm2_{b160} nfp_{a36} vcp_{a56}
sbp_{h40} sb_secret_{w31} napi_{l64} pscale_tkn_{w43} pscale_oauth_{w43} pscale_pw_{w43} mdb_sa_sk_{w40} AVNS_{w19} sha256~{w43}
dapi{h32} dapi{h32}-2 tskey-auth-{a16}CNTRL-{a32} tskey-api-{a12}CNTRL-{a32} dnkey-{U26}-{U52} 4b1d{a38} AQVN{w37}
hvs.{w95} hvb.{w140} hvr.{w95} {a14}.atlasv1.{w67} pul-{h40} dckr_pat_{w27} dckr_oat_{w32} CCIPAT_{a22}_{h40} bkua_{h40} bkct_{w50}
ico-{a32} pnu_{a36} API-{U26} pat.{w22}.{h24}.{a20} tk-us-{w48} squ_{h40} sqp_{h40} sqa_{h40} sgp_{h40} sgp_{h16}_{h40}
dp.pt.{a43} dp.st.prd.{a43} dp.ct.{a43} dp.sa.{a43} dp.scim.{a43} dp.audit.{a43} ops_eyJ{b300} A3-{U6}-{U11}-{U5}-{U5}-{U5}
AGE-SECRET-KEY-1{U58} npm_{a36} pypi-AgEIcHlwaS5vcmc{w150} rubygems_{h48} oy2{l43} CLOJARS_{h60} cio{a32} AKCp{a69} cmVmdGtu{a56}
sk-{a48} sk-{a20}T3BlbkFJ{a20} sk-proj-{w74}T3BlbkFJ{w74} sk-svcacct-{w120} sk-admin-{w100} sk-ant-api03-{w93}AA sk-ant-admin01-{w93}AA
sk-ant-oat01-{w93}AA sk-or-v1-{h64} sk-{h32} sk-lf-{uuid} hf_{L34} api_org_{L34} gsk_{a52} xai-{a80} r8_{a37} pplx-{a48}
pcsk_{a6}_{a63} lsv2_pt_{h32}_{h10} lsv2_sk_{h32}_{h10} tgp_v1_{w43} fw_{a24} esecret_{a40} jina_{a32}{w28} nvapi-{w64} csk-{l48}
tvly-dev-{a32} e2b_{h40} llx-{a48} apify_api_{a36} xoxb-{d12}-{d13}-{a24} xoxp-{d12}-{d12}-{d12}-{h32} xoxa-2-{a40} xoxr-{a40}
xoxe.xoxp-1-{a163} xoxs-{d11}-{d11}-{d11}-{h32} xapp-1-{U11}-{d13}-{h64} SG.{w22}.{w43} SK{h32} key-{h32} {h32}-us6 {h32}-us21
{d10}:AA{w33} xkeysib-{h64}-{a16} xsmtpsib-{h64}-{a16} re_{a8}_{a24} os_v2_app_{l90} sk_live_{a24} sk_test_{a99} rk_live_{a24}
rk_test_{a24} whsec_{a32} shpat_{h32} shpca_{h32} shppa_{h32} shpss_{h32} EZAK{a54} EZTK{a54} sq0atp-{w22} sq0csp-{w43} EAAA{w60}
EAAM{a120} EAAC{a150} access-sandbox-{uuid} access-production-{uuid} rzp_live_{a14} FLWSECK-{h32}-X FLWSECK_TEST-{h32}-X
duffel_live_{w43} duffel_test_{w43} shippo_live_{h40} shippo_test_{h40} lin_api_{a40} lin_oauth_{h64} ntn_{d11}{a35} secret_{a43}
PMAK-{h24}-{h34} PMAT-{U26} sntrys_eyJpYXQiO{a120}_{a43} sntryu_{h64} glc_{b120} glsa_{a32}_{h8} NRAK-{U27} NRII-{w32} NRJS-{h19}
{h36}NRAL dt0c01.{U24}.{U64} dt0s01.{U24}.{U64} figd_{w40} CFPAT-{w43} fio-u-{w64} rdme_{l70} tfp_{w44}_{w14} p8e-{a32}
s-s4t2ud-{h64} sm_aat_{a16} sm_pat_{a16} sm_sat_{a16} pat-na1-{uuid} pat-eu1-{uuid} sk.eyJ1{a70}.{a22} sdk-{uuid} hcaik_{l58}
xaat-{uuid} phx_{a43} {a6}_{a29}_mmk sl.B{w135} eyJhbGciOiJIUzI1NiJ9.eyJz{a40}.{w43} eyJhbGciOiJSUzI1NiIsImtpZCI6{a20}.eyJp{a90}.{w200}
eyJrIjoi{a90} $2b$10${c53} $6${a8}${c86} $argon2id$v=19$m=65536,t=3,p=4${b22}${b43} amzn.mws.{uuid}
DB_PASSWORD={p16} POSTGRES_PASSWORD={a20} REDIS_PASSWORD={p24} smtp_password={p14} MYSQL_ROOT_PASSWORD={a24} admin_passwd={p16}
JWT_SECRET={a32} SESSION_SECRET={h64} client_secret={w40} CLIENT_SECRET={a32} app_secret={h32} webhook_secret={a40} SECRET_KEY={p50}
API_KEY={a32} api_key={h40} APIKEY={a24} ACCESS_TOKEN={w60} auth_token={h40} refresh_token={w80} PRIVATE_TOKEN={w20} ENCRYPTION_KEY={b43}=
aws_secret_access_key={b40} AWS_SESSION_TOKEN={b200} AccountKey={b86}== SharedAccessKey={b43}= AZURE_OPENAI_API_KEY={h32}
ADAFRUIT_API_KEY={l32} AIRTABLE_API_KEY=pat{a14}.{h64} ALGOLIA_API_KEY={h32} ALGOLIA_ADMIN_KEY={h32} ALIBABA_SECRET_KEY={a30} ASANA_CLIENT_SECRET={h32}
AUTH0_CLIENT_SECRET={w64} BITBUCKET_CLIENT_SECRET={w64} BITTREX_SECRET_KEY={h32} CLOUDFLARE_API_KEY={h37} CLOUDFLARE_API_TOKEN={w40}
CLOUDINARY_API_SECRET={w27} CODECOV_TOKEN={uuid} COHERE_API_KEY={a40} COINBASE_API_SECRET={w64} CONFLUENT_API_SECRET={b64} CONTENTFUL_ACCESS_TOKEN={w43}
DATADOG_API_KEY={h32} DATADOG_APP_KEY={h40} DEEPGRAM_API_KEY={h40} DISCORD_BOT_TOKEN=M{a23}.{w6}.{w38} DISCORD_CLIENT_SECRET={w32}
DRONE_TOKEN={a32} DROPBOX_APP_SECRET={l15}x ELEVENLABS_API_KEY={h32} ETSY_API_KEY={l24} FACEBOOK_APP_SECRET={h32} FASTLY_API_TOKEN={w32}
FINNHUB_API_KEY={l20} FLICKR_API_SECRET={h16} FRESHBOOKS_ACCESS_TOKEN={h64} GITTER_ACCESS_TOKEN={h40} HEROKU_API_KEY={uuid} HUBSPOT_API_KEY={uuid}
INTERCOM_ACCESS_TOKEN={w60} JENKINS_API_TOKEN={h34} JFROG_API_KEY={a73} JIRA_API_TOKEN={a24} KRAKEN_API_SECRET={b86}== KUCOIN_SECRET_KEY={uuid}
LAUNCHDARKLY_ACCESS_TOKEN={w40} LINEAR_CLIENT_SECRET={h32} LINKEDIN_CLIENT_SECRET={a16} LINODE_TOKEN={h64} LOOKER_CLIENT_SECRET={a24}
MAILCHIMP_API_KEY={h32}-us19 MAILGUN_SIGNING_KEY={h32} MAPBOX_ACCESS_TOKEN=pk.{a60}.{a22} MATTERMOST_ACCESS_TOKEN={l26} MERAKI_API_KEY={h40}
MESSAGEBIRD_API_KEY={a25} MISTRAL_API_KEY={a32} MIXPANEL_API_SECRET={h32} NETLIFY_AUTH_TOKEN={w43} NGROK_AUTHTOKEN={a27}_{a21} OKTA_API_TOKEN=00{w40}
OPSGENIE_API_KEY={uuid} PAGERDUTY_API_KEY={w20} PAYPAL_CLIENT_SECRET={w80} PLAID_SECRET_KEY={h30} PUSHER_APP_SECRET={h20} RAILS_MASTER_KEY={h32}
RAPIDAPI_KEY={w50} ROLLBAR_ACCESS_TOKEN={h32} SENDBIRD_ACCESS_TOKEN={h40} SENTRY_AUTH_TOKEN={h64} SNYK_TOKEN={uuid} SONAR_TOKEN={h40}
SPLUNK_HEC_TOKEN={uuid} SPOTIFY_CLIENT_SECRET={h32} SQUARESPACE_TOKEN={uuid} SUMO_ACCESS_KEY={a64} TELEGRAM_TOKEN={d10}:AA{w33}
TRAVIS_TOKEN={w22} TWILIO_AUTH_TOKEN={h32} TWITCH_CLIENT_SECRET={l30} TWITTER_API_SECRET={a50} TWITTER_ACCESS_TOKEN={d19}-{a40}
VAULT_TOKEN=s.{a24} VERCEL_TOKEN={a24} VULTR_API_KEY={U36} WANDB_API_KEY={h40} YANDEX_API_KEY={w38} ZENDESK_API_TOKEN={a40} ZOOM_CLIENT_SECRET={a32}
PrivateKey={b43}= PresharedKey={b43}=
";

/// A small generator with a fixed seed: the same corpus in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn class(name: &str) -> &'static [u8] {
        match name {
            "a" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "b" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            "c" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./",
            "d" => b"123456789",
            "h" => b"0123456789abcdef",
            "l" => b"abcdefghijklmnopqrstuvwxyz0123456789",
            "L" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "p" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!%^*_+-~",
            "u" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "w" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
            other => panic!("no class {other}"),
        }
    }

    fn fill(&mut self, form: &str) -> String {
        let mut text = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (hole, after) = after.split_once('}').expect("a hole is closed");
            if hole == "uuid" {
                let parts = [8, 4, 4, 4, 12].map(|length| self.draw("h", length));
                text.push_str(&parts.join("-"));
            } else {
                text.push_str(&self.draw(&hole[..1], hole[1..].parse().unwrap()));
            }
            rest = after;
        }
        text + rest
    }

    fn draw(&mut self, class: &str, length: usize) -> String {
        let class = Self::class(class);
        (0..length).map(|_| char::from(class[self.below(class.len())])).collect()
    }
}

/// The places where people leave secrets.
const PLACES: &[(&str, &str)] = &[
    (".env", "PORT=8080\nNAME=VALUE\nHOST=localhost\n"),
    ("YAML", "service:\n  name: VALUE\n  replicas: 3\n"),
    ("quoted YAML", "env:\n  - name: \"VALUE\" # rotate\n"),
    ("JSON", "{\n  \"name\": \"VALUE\",\n  \"port\": 1\n}\n"),
    ("TOML", "[service]\nname = \"VALUE\"\n"),
    ("code", "const name = 'VALUE';\nrun(name);\n"),
    ("typed code", "    let name: &str = \"VALUE\";\n"),
    ("shell", "export NAME=VALUE && ./run.sh\n"),
    ("comment", "// old name: VALUE (remove it)\n"),
    ("URL", "see https://example.org/hook?name=VALUE&page=2 for it\n"),
];

#[test]
fn secrets_are_found_wherever_people_leave_them() {
    let forms: Vec<&str> = FORMS.split_whitespace().collect();
    assert!(forms.len() >= 200, "{} kinds", forms.len());
    let mut random = Random(0x5EED_0BAD_CAFE_F00D);
    let (mut total, mut missed) = (0, Vec::new());
    for form in &forms {
        let (name, form) = form.split_once('=').filter(|(name, _)| !name.contains(['{', '$'])).unwrap_or(("item", form));
        for (place, text) in PLACES {
            let value = random.fill(form);
            let shown = if *place == "URL" { value.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D") } else { value.clone() };
            let text = text.replace("NAME", &name.to_uppercase()).replace("name", name).replace("VALUE", &shown);
            let redacted = redact(&text).text;
            total += 1;
            // What is left of the value says nothing.
            let longest = shown.as_bytes().windows(12).filter(|part| redacted.contains(std::str::from_utf8(part).unwrap())).count();
            if longest > 0 && redacted.contains(&shown[shown.len() / 2..]) || redacted == text {
                missed.push(format!("{form} in {place}: {text:?}"));
            }
        }
    }
    let found = total - missed.len();
    assert!(total >= 2_000);
    let mut shown = missed.clone();
    shown.truncate(400);
    assert!(found * 100 >= total * 97, "{found} of {total} were found; missed:\n{}", shown.join("\n"));
}

#[test]
fn ordinary_lines_stay() {
    let hash = "04c5df6b0d3ba9e0d4b8f7c6a1e5b2d3";
    for text in [
        format!("{{ url = \"https://host/tiktoken-0.12.0.whl\", hash = \"sha256:{hash}\" }}"),
        format!("next_page_token: {hash}"),
        format!("cache_key = \"{hash}\""),
        "let token = parse_token2(input)?;".to_owned(),
        "password = self.cleaned_data[\"password1\"]".to_owned(),
        "api_key: &'static str,".to_owned(),
        "use http://user:password@host:8080/ as the proxy".to_owned(),
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.xxxxxxxxxxxxxxxx".to_owned(),
        "The token is sent in the header, as `Authorization: Bearer <token>`.".to_owned(),
        "a_very_long_function_name_with_sha256_and_base64_in_it(AKIAS)".to_owned(),
    ] {
        assert_eq!(redact(&text).text, text);
    }
}

#[test]
fn placeholders_stay() {
    for value in [
        "<token>",
        "xxxxxxxxxxxxxxxxxxxx",
        "changeme",
        "${VAR}",
        "$VAR",
        "{{ token }}",
        "your-api-key-here",
        "YOUR_TOKEN",
        "********",
        "...",
        "%s",
        "$(cat f)",
        "process.env.TOKEN",
        "os.environ[\"TOKEN\"]",
        "example-token-1234567890",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "<YOUR_API_KEY>",
        "[redacted]",
        "password123",
        "secret",
        "null",
        "true",
        "config.get('token')",
        "self.token2",
    ] {
        for name in ["password", "API_KEY", "github_token", "client_secret", "DATADOG_API_KEY"] {
            for (place, text) in PLACES {
                let text = text.replace("NAME", &name.to_uppercase()).replace("name", name).replace("VALUE", value);
                assert_eq!(redact(&text).text, text, "{value} in {place}");
            }
        }
    }
}

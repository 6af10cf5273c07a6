//! Secrets recognised only by the name before them.

use super::{assert_redacts, assert_stays, body};

#[test]
fn assigned_aws_secrets_are_redacted() {
    let value = body(40);
    assert_redacts(&format!("aws_secret_access_key = {value}"), "aws_secret_access_key = [redacted: AWS secret key]");
}

#[test]
fn aws_secrets_are_redacted_in_every_syntax() {
    let value = body(40);
    for (before, after) in [
        ("'aws_secret_access_key' => '", "',"),
        ("ENV AWS_SECRET_ACCESS_KEY ", "\n"),
        ("os.environ[\"AWS_SECRET_ACCESS_KEY\"] = \"", "\""),
        ("aws_secret_access_key                        =                 ", "\n"),
        ("\\\"aws_secret_access_key\\\":\\\"", "\\\""),
        ("\"SecretAccessKey\": \"", "\""),
        ("secretAccessKey: '", "'"),
        ("aws configure set aws_secret_access_key ", ""),
        ("- name: AWS_SECRET_ACCESS_KEY\n          value: \"", "\"\n"),
        ("{\"name\":\"AWS_SECRET_ACCESS_KEY\",\"value\":\"", "\"}"),
        ("- name: AWS_SECRET_ACCESS_KEY\\n  value: ", "\\n"),
        ("<SecretAccessKey>", "</SecretAccessKey>"),
        ("os.Setenv(\"AWS_SECRET_ACCESS_KEY\", \"", "\")"),
        ("${AWS_SECRET_ACCESS_KEY:-", "}"),
    ] {
        assert_redacts(&format!("{before}{value}{after}"), &format!("{before}[redacted: AWS secret key]{after}"));
    }
    let slashed = format!("{}\\/{}", body(20), body(19));
    assert_redacts(&format!("\"SecretAccessKey\":\"{slashed}\""), "\"SecretAccessKey\":\"[redacted: AWS secret key]\"");
}

#[test]
fn other_values_after_the_names_stay() {
    let hex = "0123456789abcdef0123456789abcdef01234567";
    for value in [body(39), body(41), body(40).to_lowercase(), hex.to_owned(), hex.replace('a', "A"), format!("x {}", body(40))] {
        assert_stays(&format!("AWS_SECRET_ACCESS_KEY={value}"));
    }
    assert_stays(&format!("AWS_SECRET_ACCESS_KEY{}", body(40)));
    assert_stays("AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY }}");
}

#[test]
fn npm_logins_are_redacted() {
    let uuid = format!("{}-{}", "0a1b2c3d-4e5f-6071", "8293-a4b5c6d7e8f9");
    let login = ["Ym9i", "Omh1", "bnRlcjI="].concat();
    for (before, value) in [
        ("//registry.npmjs.org/:_authToken=", uuid.clone()),
        ("//npm.x.org/:_authToken = \"", body(24)),
        ("npm config set //npm.x.org/:_authToken ", uuid.clone()),
        ("//npm.x.org/:_auth=", login.clone()),
        ("_auth = ", login),
        ("_authToken=", uuid),
        ("//registry.npmjs.org/:_authToken=", format!("npm_{}", body(36))),
    ] {
        assert_redacts(&format!("{before}{value}\n"), &format!("{before}[redacted: npm token]\n"));
    }
    for same in [
        "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
        "_auth = HTTPBasicAuth(user)",
        "_authToken = generateToken2()",
        "self._auth=AbstractFactory2",
        "basic_auth=dGVzdA",
        "_auth == other",
    ] {
        assert_stays(same);
    }
}

// Everything is shown as text: elements are made by `el`, which never reads HTML.
const SVG = "http://www.w3.org/2000/svg";
const TITLES = { sessions: "Sessions", report: "Cost and use", try: "Try a message", why: "Why", index: "Index", domains: "Domains" };
const VERDICTS = { "chosen": "chosen", "below-cut": "below the cut", "not-meant": "another one is named", "over-limit": "over the limit", "abstained": "not chosen" };
const SOURCES = ["gate", "domains", "docs", "files", "requests"];
let data = null, here = "";
let views = VIEWS_ALL;
const main = document.getElementById("main");

function el(name, attributes, ...children) {
  const node = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}
const number = (value) => Number(value || 0).toLocaleString("en-US");
const two = (value) => String(value).padStart(2, "0");
const clock = (at) => { const d = new Date(at); return two(d.getHours()) + ":" + two(d.getMinutes()) + ":" + two(d.getSeconds()); };
const day = (at) => { const d = new Date(at); return d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate()); };
const when = (at) => day(at) + " " + clock(at);
const plural = (count, word, more) => number(count) + " " + (count === 1 ? word : more || word + "s");
const colour = (source) => { const at = SOURCES.indexOf(source); return at < 0 ? 5 : at; };
const say = (text) => { document.getElementById("status").textContent = text; };
const dot = (source) => el("i", { class: "dot b" + colour(source), "aria-hidden": "true" });
// Words between backticks are commands and names.
const rich = (text) => String(text).split("`").map((part, at) => at % 2 ? el("code", {}, part) : part);
const empty = (title, text) => el("div", { class: "empty" }, el("p", {}, el("b", {}, title)), el("p", {}, rich(text)));
// As wide as the page is now, so that letters in a drawing have their size.
const wide = () => Math.max(360, Math.min(1124, main.clientWidth - 36));
const link = (view, ...values) => "#" + [view].concat(values.map(encodeURIComponent)).join("=");
// Why a file came or did not; only a server can answer it.
const whyLink = (what, session) => views.includes("why") ? el("a", { class: "small", href: link("why", what, session || ""), "aria-label": "why " + what }, session ? "explain" : "why?") : null;
// A path as seen from the directory of this page.
const near = (path) => here && path.startsWith(here + "/") ? path.slice(here.length + 1) : path;
const stat = (value, label, kind) => el("div", { class: "stat" }, el("b", { class: kind }, value), el("span", {}, label));

async function ask(question, id, body) {
  const key = id ? question + "/" + id : question;
  if (data) {
    if (key in data.answers) return data.answers[key];
    throw new Error("this file does not have it; `brief inspect` on the machine itself does");
  }
  const query = id ? "?id=" + encodeURIComponent(id) : "";
  const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const response = await fetch("/api/" + question + query, options);
  const value = await response.json();
  if (!response.ok) throw new Error([value.error].concat(value.causes || []).join(": ") + (value.hints && value.hints.length ? " (" + value.hints.join("; ") + ")" : ""));
  return value;
}

function table(heads, rows) {
  const head = heads.map((h) => el("th", { scope: "col", class: h.n ? "n" : null }, h.label));
  const body = rows.map((row) => el("tr", { class: row.on ? "on" : null }, row.cells.map((cell, at) => el("td", { class: heads[at].n ? "n" : heads[at].k }, cell))));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

// --- sessions ------------------------------------------------------------------------------------------------------

async function showSessions() {
  const { sessions } = await ask("sessions");
  if (!sessions.length) {
    return [el("h1", {}, "Sessions"), empty("No agent has called a hook yet.", "`brief install AGENT` adds the hooks, `brief doctor` checks them.")];
  }
  const row = (session) => ({
    cells: [
      [el("a", { href: link("session", session.session) }, session.title || "(no message yet)"), el("div", { class: "quiet small mono" }, session.directory)],
      el("span", { class: "mono small" }, session.session), number(session.deliveries), number(session.tokens), when(session.last_seen),
    ],
  });
  const heads = [{ label: "First message", k: "wide" }, { label: "Session", k: "t" }, { label: "Deliveries", n: 1 }, { label: "Tokens", n: 1 }, { label: "Last event", n: 1 }];
  const found = el("div", {});
  const show = (text) => {
    const wanted = sessions.filter((one) => (one.title + " " + one.directory + " " + one.session).toLowerCase().includes(text.toLowerCase()));
    found.replaceChildren(el("p", { class: "quiet" }, (wanted.length === sessions.length ? "" : number(wanted.length) + " of ") + plural(sessions.length, "session") + ", the last one seen first"), table(heads, wanted.slice(0, 500).map(row)));
  };
  show("");
  const find = sessions.length < 8 ? [] : [el("label", { for: "find" }, "Find by message, directory or name"), el("input", { id: "find", oninput: (event) => show(event.target.value) })];
  return [el("h1", {}, "Sessions"), ...find, found];
}

const isThere = (row) => row.state === "delivered" || row.state === "lost";

function windowAt(session, event) {
  return session.deliveries.filter((row) => isThere(row) && row.epoch === event.epoch && row.at <= event.at).sort((a, b) => a.slot - b.slot);
}

async function showSession(name, tab) {
  const session = await ask("session", name);
  const { events, deliveries, receipts } = session;
  const info = session.session;
  const delivered = deliveries.filter(isThere);
  const now = delivered.filter((row) => row.state === "delivered" && row.epoch === info.epoch).sort((a, b) => a.slot - b.slot);
  const sum = (rows) => rows.reduce((all, row) => all + row.tokens, 0);
  const verdicts = {};
  for (const row of receipts) verdicts[row.verdict || "open"] = (verdicts[row.verdict || "open"] || 0) + 1;
  const proven = ["seen", "cut", "missing", "unknowable", "open"].filter((word) => verdicts[word]).map((word) => verdicts[word] + " " + word).join(", ");
  const points = (session.fill && session.fill.points) || [];
  const last = points.length ? points[points.length - 1][1] : null;
  const size = session.fill && session.fill.size;
  const page = [
    el("p", { class: "small" }, el("a", { href: "#sessions" }, "All sessions")),
    el("h1", {}, info.title || "(no message yet)"),
    el("p", { class: "quiet" }, info.agent + " in ", el("span", { class: "mono" }, info.directory), ", " + when(info.first_seen) + " to " + when(info.last_seen) + ", ", el("span", { class: "mono" }, info.session)),
    el("div", { class: "stats" },
      stat(number(events.length), "events"),
      stat(number(sum(delivered)), "tokens delivered"),
      stat(number(sum(now)), "of ours in the window now"),
      last === null ? null : stat(number(last) + (size ? " (" + Math.round(last * 100 / size) + " %)" : ""), size ? "of " + number(size) + " in the window, as the agent counts" : "in the window, as the agent counts"),
      stat(String(info.epoch - 1 > 0 ? info.epoch - 1 : 0), "times emptied or compacted"),
      proven ? stat(proven, "receipts", verdicts.missing || verdicts.cut ? "bad" : null) : null),
  ];
  if (last === null && session.fill && session.fill.problem) page.push(el("p", { class: "quiet small" }, "How full the window is, is not known: " + session.fill.problem + "."));
  const panel = el("div", {});
  const state = { event: null, choose: null };
  page.push(chart(session, points, (at) => { pick("Events"); if (state.choose) state.choose(at); }));
  const tabs = { "Events": () => eventsTab(session, state), "Window now": () => windowTab(now), "Compare turns": () => compareTab(session), "Tokens": () => tokensTab(delivered) };
  const buttons = Object.keys(tabs).map((title) => el("button", { type: "button", "aria-pressed": "false", onclick: () => { pick(title); history.replaceState(null, "", link("session", name, title)); } }, title));
  function pick(title) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === title));
    panel.replaceChildren(...[tabs[title]()].flat());
  }
  page.push(el("div", { class: "tabs", role: "group", "aria-label": "Parts of this session" }, buttons), panel);
  pick(tab in tabs ? tab : "Events");
  return page;
}

function chart(session, points, choose) {
  const { events, deliveries } = session;
  const width = wide(), height = 190, left = 58, right = 14, top = 16, bottom = 42;
  const svg = el("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Tokens of ours in the window over " + events.length + " events; the list of events below says the same" });
  const x = (at) => left + (events.length < 2 ? .5 : at / (events.length - 1)) * (width - left - right);
  const per = new Map();
  for (const row of deliveries.filter(isThere)) per.set(row.carrier, (per.get(row.carrier) || 0) + row.tokens);
  let level = 0, epoch = events.length ? events[0].epoch : 0;
  const cuts = [], levels = events.map((event, at) => {
    if (event.epoch && event.epoch !== epoch) { if (epoch) cuts.push(at); epoch = event.epoch; level = 0; }
    level += event.id ? per.get(event.id) || 0 : 0;
    return level;
  });
  const most = Math.max(1, ...levels);
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  let line = "";
  levels.forEach((value, at) => { line += (at ? "H" + x(at).toFixed(1) + "V" : "M" + x(0).toFixed(1) + " ") + y(value).toFixed(1); });
  const base = height - bottom;
  for (const share of [0, .5, 1]) {
    svg.append(el("svg:line", { class: "axis", x1: left, x2: width - right, y1: y(most * share), y2: y(most * share) }),
      el("svg:text", { x: left - 8, y: y(most * share) + 4, "text-anchor": "end" }, number(Math.round(most * share))));
  }
  if (line) svg.append(el("svg:path", { class: "area", d: line + "V" + base + "H" + x(0).toFixed(1) + "Z" }), el("svg:path", { class: "edge", d: line }));
  for (const at of cuts) {
    svg.append(el("svg:line", { class: "cutline", x1: x(at), x2: x(at), y1: top - 6, y2: base }), el("svg:text", { x: x(at) + 5, y: top + 3 }, "emptied"));
  }
  events.forEach((event, at) => {
    const kind = event.outcome === "delivered" ? "sent" : event.outcome === "silent" || event.outcome === "emptied" ? "silent" : "lost";
    svg.append(el("svg:circle", { class: "mark " + kind, cx: x(at).toFixed(1), cy: base + 13, r: events.length > 300 ? 2 : 4, onclick: () => choose(at) },
      el("svg:title", {}, clock(event.at) + " " + event.event + ": " + event.said)));
  });
  if (events.length) {
    svg.append(el("svg:text", { x: left, y: height - 8 }, when(events[0].at)), el("svg:text", { x: width - right, y: height - 8, "text-anchor": "end" }, when(events[events.length - 1].at)));
  }
  return [svg, el("p", { class: "keys" }, el("span", {}, "line: tokens of ours in the window"), el("span", {}, "● delivered"), el("span", {}, "○ nothing to say"), el("span", {}, "┆ compacted or cleared"))];
}

function eventsTab(session, state) {
  const { events, deliveries } = session;
  if (!events.length) return empty("No events are in the log.", "The log keeps 30 days.");
  const of = (event) => (event.id && carried.get(event.id)) || [];
  const detail = el("section", { "aria-label": "The event", tabindex: "-1" });
  const carried = new Map();
  for (const row of deliveries.filter(isThere)) carried.set(row.carrier, (carried.get(row.carrier) || []).concat(row));
  const buttons = events.map((event, at) => {
    const rows = of(event), tokens = rows.reduce((all, row) => all + row.tokens, 0);
    const about = rows.length ? rows.map((row) => row.path.split("/").slice(-2).join("/")).join(", ") : event.said;
    const short = (text, most) => text.length > most ? text.slice(0, most) + "…" : text;
    return el("button", { type: "button", "aria-current": "false", onclick: () => choose(at), class: rows.length || event.outcome !== "silent" ? null : "nothing" },
      el("span", { class: "quiet" }, clock(event.at)),
      el("span", { class: "what" }, event.event, event.message ? el("span", { class: "what said" }, "“" + short(event.message, 90) + "”") : null, el("span", { class: "what quiet small" }, short(about, 110))),
      el("span", { class: "n" + (tokens ? "" : " quiet") }, tokens ? number(tokens) : "–"));
  });
  function choose(at) {
    buttons.forEach((button, place) => button.setAttribute("aria-current", String(place === at)));
    requestAnimationFrame(() => { list.scrollTop = Math.min(list.scrollTop, buttons[at].offsetTop - list.offsetTop); if (buttons[at].offsetTop - list.offsetTop + buttons[at].offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = buttons[at].offsetTop - list.offsetTop - 60; });
    detail.replaceChildren(...eventDetail(session, events[at], of(events[at])));
    say(events[at].event + ", " + events[at].said);
  }
  state.choose = choose;
  const list = el("div", { class: "list", role: "group", "aria-label": "Events; arrow keys move", onkeydown: (key) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key.key];
    let at = buttons.indexOf(document.activeElement);
    if (at < 0 || !step) return;
    do at += step; while (buttons[at] && !buttons[at].offsetParent);
    if (!buttons[at]) return;
    key.preventDefault();
    buttons[at].focus();
    choose(at);
  } }, buttons);
  const first = events.findLastIndex((event) => of(event).length);
  choose(first < 0 ? events.length - 1 : first);
  const silent = buttons.filter((button) => button.className === "nothing").length;
  const hide = el("input", { type: "checkbox", id: "hide", onchange: () => list.classList.toggle("brief", hide.checked) });
  const filter = silent ? el("label", { class: "check", for: "hide" }, hide, " Hide " + plural(silent, "silent event")) : null;
  return el("div", { class: "two" }, el("div", {}, filter, list), detail);
}

function eventDetail(session, event, rows) {
  const parts = [el("h2", {}, event.event), el("p", { class: "quiet" }, when(event.at) + ", " + (event.micros / 1000).toFixed(1) + " ms, " + event.said)];
  if (event.message) parts.push(el("h3", {}, "Message"), el("pre", {}, event.message));
  rows.forEach((row, at) => parts.push(piece(session, row, at === 0)));
  if (event.queued) parts.push(el("p", {}, plural(event.queued, "piece") + " wait for the next event"));
  if (event.told && event.told.length) parts.push(el("h3", {}, "Notes"), el("ul", {}, event.told.map((note) => el("li", { class: "small" }, rich(note)))));
  return parts;
}

function receiptOf(session, row) {
  return session.receipts.find((one) => one.piece === row.piece && one.part === row.part && one.at === row.at && one.epoch === row.epoch);
}

function piece(session, row, isOpen) {
  const receipt = receiptOf(session, row), verdict = receipt && receipt.verdict;
  const kind = { seen: "good", cut: "bad", missing: "bad" }[verdict] || "quiet";
  const box = el("details", { class: "card" },
    el("summary", {}, dot(row.source), el("b", { class: "mono" }, near(row.path) || "(list of what was left out)"), " ", el("span", { class: "quiet" }, number(row.tokens) + " tokens" + (row.parts > 1 ? ", part " + row.part + " of " + row.parts : ""))),
    el("p", { class: "small" }, el("span", { class: "quiet" }, "why: "), row.why, " ", row.piece ? whyLink(row.piece, session.session.session) : null),
    el("p", { class: "small" }, el("span", { class: "quiet" }, "receipt: "), el("span", { class: kind }, verdict || "open"), receipt && receipt.proof ? ", " + receipt.proof : verdict ? "" : ": not looked for yet, or the model has not been asked since"));
  const text = el("div", {});
  box.append(text);
  box.addEventListener("toggle", async () => {
    if (!box.open || text.childElementCount) return;
    text.append(el("pre", {}, await textOf(row)));
  });
  box.open = isOpen;
  return box;
}

async function textOf(row) {
  try {
    const { text } = await ask("text", row.rendered_hash || "none");
    return text === null || text === undefined ? "(the text is no longer kept; `log.text_days` says for how long)" : text;
  } catch (problem) {
    return "(" + problem.message + ")";
  }
}

function windowTab(rows) {
  if (!rows.length) return empty("The window holds nothing of ours.", "It was emptied, or nothing has been delivered yet.");
  const most = Math.max(...rows.map((row) => row.tokens));
  return table([{ label: "#", n: 1 }, { label: "What", k: "wide" }, { label: "Why" }, { label: "Came with", k: "t" }, { label: "Tokens", n: 1 }, { label: "" }], rows.map((row, at) => ({
    cells: [at + 1, [dot(row.source), el("span", { class: "mono" }, near(row.path) + (row.parts > 1 ? " (" + row.part + "/" + row.parts + ")" : ""))], el("span", { class: "small" }, row.why), row.event, number(row.tokens), bar(row.tokens / most)],
  })));
}

function bar(share) {
  const inner = el("i", {});
  inner.style.width = Math.max(1, Math.round(share * 100)) + "%";
  return el("div", { class: "bar", "aria-hidden": "true" }, inner);
}

function compareTab(session) {
  const turns = session.events.filter((event) => event.id);
  if (turns.length < 2) return empty("There is only one turn to see.", "Two events are needed for a comparison.");
  const result = el("div", { "aria-live": "polite" });
  const choice = (label, at) => {
    const box = el("select", { onchange: show, id: "turn-" + label }, turns.map((event, place) => el("option", { value: place }, clock(event.at) + "  " + event.event + (event.message ? ": " + event.message.slice(0, 60) : ""))));
    box.value = String(at);
    return [el("div", {}, el("label", { for: "turn-" + label }, label), box), box];
  };
  const [before, one] = choice("Before", 0), [after, other] = choice("After", turns.length - 1);
  function show() {
    const a = windowAt(session, turns[one.value]), b = windowAt(session, turns[other.value]);
    const key = (row) => row.piece + " " + row.part, was = new Map(a.map((row) => [key(row), row])), is = new Map(b.map((row) => [key(row), row]));
    const added = b.filter((row) => !was.has(key(row))), removed = a.filter((row) => !is.has(key(row)));
    const changed = [...is].filter(([name, row]) => was.has(name) && was.get(name).hash !== row.hash);
    const list = (title, rows, kind) => rows.length ? [el("h3", {}, title), el("ul", {}, rows.map((row) => el("li", { class: "mono " + kind }, near(row.path) + "  ", el("span", { class: "quiet" }, number(row.tokens) + " tokens"))))] : [];
    result.replaceChildren(
      el("p", {}, plural(added.length, "piece") + " came, " + number(removed.length) + " went, " + number(changed.length) + " changed, " + number(b.length - added.length - changed.length) + " stayed"),
      ...list("Came", added, "good"), ...list("Went", removed, "bad"), ...list("Changed", changed.map(([, row]) => row), ""));
    for (const [name, row] of changed) {
      const box = el("pre", {}, "…");
      result.append(el("h3", { class: "mono" }, row.path), box);
      Promise.all([textOf(was.get(name)), textOf(row)]).then(([old, fresh]) => box.replaceChildren(...lines(old.split("\n"), fresh.split("\n"))));
    }
  }
  show();
  return [el("div", { class: "pair" }, before, after), result];
}

function lines(a, b) {
  if (a.length * b.length > 4e6) return [el("span", {}, b.join("\n"))];
  const best = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const out = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push(el("div", {}, "  " + a[i])); i++; j++; }
    else if (j < b.length && (i === a.length || best[i][j + 1] >= best[i + 1][j])) { out.push(el("div", { class: "plus" }, "+ " + b[j])); j++; }
    else { out.push(el("div", { class: "minus" }, "- " + a[i])); i++; }
  }
  return out;
}

function tokensTab(rows) {
  const files = new Map();
  for (const row of rows) {
    const name = near(row.file || row.path) || "(list of what was left out)", key = row.source + " " + name;
    const one = files.get(key) || { name, source: row.source, tokens: 0 };
    one.tokens += row.tokens;
    files.set(key, one);
  }
  const all = [...files.values()].sort((a, b) => b.tokens - a.tokens), most = all.length ? all[0].tokens : 1;
  return [treemap(all), table([{ label: "File", k: "wide" }, { label: "Source", k: "t" }, { label: "Tokens", n: 1 }, { label: "" }], all.map((one) => ({
    cells: [[dot(one.source), el("span", { class: "mono" }, one.name)], one.source || "", number(one.tokens), bar(one.tokens / most)],
  })))].flat();
}

// --- treemap -------------------------------------------------------------------------------------------------------

function squares(items, box) {
  const out = [], total = items.reduce((all, item) => all + item.tokens, 0);
  let rest = items.slice().sort((a, b) => b.tokens - a.tokens), { x, y, w, h } = box;
  const scale = total ? (w * h) / total : 0;
  while (rest.length) {
    const side = Math.min(w, h);
    let row = [], worst = Infinity;
    for (const item of rest) {
      const next = row.concat(item), area = next.reduce((all, one) => all + one.tokens, 0) * scale;
      const ratio = Math.max(...next.map((one) => { const a = one.tokens * scale, t = area / side; return Math.max(t * t / a, a / (t * t)); }));
      if (row.length && ratio > worst) break;
      row = next; worst = ratio;
    }
    const area = row.reduce((all, one) => all + one.tokens, 0) * scale, thick = side ? area / side : 0;
    let at = 0;
    for (const one of row) {
      const long = thick ? one.tokens * scale / thick : 0;
      out.push(w >= h ? { ...one, x, y: y + at, w: thick, h: long } : { ...one, x: x + at, y, w: long, h: thick });
      at += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    rest = rest.slice(row.length);
  }
  return out;
}

function treemap(files) {
  files = files.filter((file) => file.tokens > 0);
  if (!files.length) return empty("Nothing was delivered.", "There are no tokens to show.");
  const width = wide(), height = 320;
  const by = new Map();
  for (const file of files) by.set(file.source, (by.get(file.source) || 0) + file.tokens);
  const svg = el("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Tokens by source and file: " + [...by].map(([source, tokens]) => (source || "others") + " " + number(tokens)).join(", ") });
  for (const group of squares([...by].map(([source, tokens]) => ({ source, tokens })), { x: 0, y: 0, w: width, h: height })) {
    for (const file of squares(files.filter((one) => one.source === group.source), group)) {
      const cell = el("svg:g", {}, el("svg:title", {}, file.name + ": " + number(file.tokens) + " tokens"),
        el("svg:rect", { class: "f" + colour(file.source), x: file.x + 1, y: file.y + 1, width: Math.max(0, file.w - 2), height: Math.max(0, file.h - 2), rx: 3 }));
      const room = Math.floor((file.w - 14) / 6.4);
      if (room > 5 && file.h > 20) {
        const name = file.name.length > room ? "…" + file.name.slice(1 - room) : file.name;
        cell.append(el("svg:text", { class: "in", x: file.x + 8, y: file.y + 18 }, name));
        if (file.h > 38) cell.append(el("svg:text", { class: "in", x: file.x + 8, y: file.y + 33 }, number(file.tokens)));
      }
      svg.append(cell);
    }
  }
  const keys = el("p", { class: "keys" }, [...by].map(([source, tokens]) => el("span", {}, dot(source), (source || "others") + " " + number(tokens))));
  return [svg, keys];
}

// --- report --------------------------------------------------------------------------------------------------------

const SPANS = { "": "All that the ledger has, 30 days", "1": "The last 24 hours", "7": "The last 7 days" };

async function showReport(days) {
  const report = await ask("report", data || !days ? null : String(Date.now() - days * 864e5)), total = report.total;
  const span = data ? el("p", { class: "quiet" }, report.since ? "Since " + when(report.since) : SPANS[""])
    : [el("label", { for: "span" }, "Time"), el("select", { id: "span", class: "narrow", onchange: (event) => { location.hash = event.target.value ? link("report", event.target.value) : "#report"; } },
      Object.entries(SPANS).map(([value, label]) => el("option", { value, selected: value === (days || "") }, label)))];
  if (!total.deliveries) return [el("h1", {}, "Cost and use"), span, empty("Nothing was delivered in this time.", "`brief doctor` checks the installation.")];
  const files = report.files;
  const row = (file) => ({ cells: [
    [dot(file.sources[0]), el("span", { class: "mono", title: file.path }, near(file.shown)), " ", whyLink(file.path)], number(file.tokens), number(file.sessions), number(file.used), number(file.unused), number(file.unknown),
    el("span", { class: "small quiet" }, file.proof.length ? file.proof.map(near).join(", ") : Object.entries(file.unknown_because).map(([why, count]) => count + ": " + why).join("; ")),
  ] });
  const heads = [{ label: "File", k: "wide" }, { label: "Tokens", n: 1 }, { label: "Sessions", n: 1 }, { label: "Used", n: 1 }, { label: "Not used", n: 1 }, { label: "Unknown", n: 1 }, { label: "What shows it" }];
  const unread = Object.entries(report.transcripts.unread).map(([why, count]) => plural(count, "session") + ": " + why).join("; ");
  const page = [
    el("h1", {}, "Cost and use"),
    span,
    el("div", { class: "stats" }, stat(number(total.tokens), "tokens"), stat(number(total.deliveries), "deliveries"), stat(number(total.sessions), "sessions"),
      stat(number(total.seen), "seen by the model", "good"), stat(number(total.cut), "cut", total.cut ? "bad" : null), stat(number(total.missing), "missing", total.missing ? "bad" : null), stat(number(total.unknowable + total.open), "unknown or open")),
  ];
  if (report.suggestions.length) {
    page.push(el("h2", {}, "Suggestions"), table([{ label: "What", k: "t" }, { label: "File", k: "wide" }, { label: "Why, and how" }], report.suggestions.map((one) => ({
      cells: [el("span", { class: "tag" }, one.advice), el("span", { class: "mono small" }, near(one.path)), el("span", { class: "small" }, rich(one.why + ": " + one.next))],
    }))));
  }
  page.push(el("h2", {}, "Tokens by source and file"), treemap(files.map((file) => ({ name: near(file.shown), source: file.sources[0], tokens: file.tokens }))));
  page.push(el("h2", {}, "Files, the most expensive first"), table(heads, files.slice(0, 200).map(row)),
    el("p", { class: "small quiet" }, "Used: later the model named the file to a tool, or wrote a phrase or two identifiers of it that were new to the session. " + plural(report.transcripts.read, "transcript") + " could be read" + (unread ? "; not those of " + unread : "") + "."));
  const sums = (rows) => table([{ label: "Name", k: "wide" }, { label: "Tokens", n: 1 }, { label: "Deliveries", n: 1 }, { label: "Seen", n: 1 }, { label: "Cut", n: 1 }, { label: "Missing", n: 1 }, { label: "" }],
    rows.map((one) => ({ cells: [one.name, number(one.tokens), number(one.deliveries), number(one.seen), number(one.cut), number(one.missing), bar(one.tokens / Math.max(1, total.tokens))] })));
  page.push(el("h2", {}, "By source"), sums(report.sources), el("h2", {}, "By agent"), sums(report.agents));
  if (report.own.length) {
    page.push(el("h2", {}, "Opened by agents themselves, although an index has them"), table([{ label: "File", k: "wide" }, { label: "Sessions", n: 1 }], report.own.map((one) => ({ cells: [el("span", { class: "mono" }, near(one.path)), number(one.sessions)] }))));
  }
  if (report.loaded.length) {
    const words = { message: "messages of the user", tool: "output of tools", instructions: "the agent's own instructions" };
    page.push(el("h2", {}, "What else went into the windows, as far as transcripts show it"), table([{ label: "Agent", k: "t" }, { label: "What", k: "wide" }, { label: "Tokens, estimated", n: 1 }], report.loaded.map((one) => ({ cells: [one.agent, words[one.kind], number(one.tokens)] }))));
  }
  return page;
}

// --- try -----------------------------------------------------------------------------------------------------------

// Runs `job` a moment after the last change, and shows what it returns unless there was another change meanwhile.
function live(job) {
  const result = el("div", { "aria-live": "polite" });
  let timer = 0, turn = 0;
  async function run() {
    const mine = ++turn;
    let parts;
    try { parts = await job(); } catch (problem) { parts = [el("p", { class: "bad" }, problem.message)]; }
    if (mine === turn) result.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  }
  return { result, run, soon: () => { clearTimeout(timer); timer = setTimeout(run, 200); } };
}

async function showTry(typed) {
  const chosen = live(async () => {
    const text = message.value.trim();
    return text ? selection(await ask("select", null, { message: text })) : [empty("Type a message.", "You see which documents would come with it, and why.")];
  });
  const message = el("textarea", { id: "message", placeholder: "how do I roll back a release?", oninput: chosen.soon }, typed || "");
  await chosen.run();
  return [el("h1", {}, "Try a message"), el("p", { class: "quiet" }, "The selection of documents here and now. Nothing is delivered or written down."),
    el("label", { for: "message" }, "Message"), message, chosen.result];
}

async function showWhy(what, name) {
  const { sessions } = await ask("sessions");
  const answer = live(async () => {
    const file = path.value.trim();
    if (!file) return [empty("Name a file.", "You see why a session received it or did not, which test it missed and by how much, and what would change it.")];
    return why(await ask("why", null, { path: file, session: session.value, message: message.value }));
  });
  const path = el("input", { id: "path", placeholder: "docs/deploy.md", oninput: answer.soon, autocomplete: "off", value: what || "" });
  const session = el("select", { id: "session", onchange: answer.run }, el("option", { value: "" }, "The last session in this project"),
    sessions.slice(0, 200).map((one) => el("option", { value: one.session, selected: one.session === name }, when(one.last_seen) + "  " + one.agent + "  " + (one.title || "(no message yet)"))));
  const message = el("input", { id: "message", placeholder: "decide for the messages of the session", oninput: answer.soon, autocomplete: "off" });
  await answer.run();
  return [el("h1", {}, "Why"), el("p", { class: "quiet" }, rich("Why an agent received a file, or did not: what `brief why` says.")),
    el("label", { for: "path" }, "File, document or section"), path,
    el("div", { class: "pair" }, el("div", {}, el("label", { for: "session" }, "In which session"), session), el("div", {}, el("label", { for: "message" }, "Or for this message"), message)), answer.result];
}

function selection(found) {
  const head = found.abstained && !found.paths.length ? el("p", {}, el("b", {}, "Nothing is chosen: "), found.abstained) : el("p", {}, el("b", {}, plural(found.paths.length, "document")), " of " + number(found.documents) + (found.selector === "local" ? "" : ", chosen by the model"));
  const most = Math.max(.001, ...found.candidates.map((one) => one.score));
  const rows = found.candidates.map((one) => ({ on: one.is_chosen, cells: [
    [el("span", { class: "mono" }, one.path), el("div", { class: "small quiet" }, one.title)], el("span", { class: one.is_chosen ? "good" : "quiet" }, VERDICTS[one.verdict] || one.verdict), one.score.toFixed(3), bar(one.score / most),
    one.told.map((line) => el("div", { class: "small" + (/^MISSED/.test(line) ? " bad" : "") }, line)),
  ] }));
  return [head, el("p", { class: "small quiet" }, "confidence " + found.confidence.toFixed(2) + ", needed " + found.threshold.toFixed(2) + "; words: " + (found.words.join(", ") || "none")),
    rows.length ? table([{ label: "Document", k: "wide" }, { label: "Verdict", k: "t" }, { label: "Score", n: 1 }, { label: "" }, { label: "What decided", k: "wide" }], rows) : null,
    found.told.length ? el("ul", { class: "small" }, found.told.map((note) => el("li", {}, note))) : null].filter(Boolean);
}

// The words are those of `brief why`; a line's own indent says what it belongs to.
function why(answer) {
  return answer.told.trimEnd().split("\n").map((line, at) => {
    const text = line.trimStart(), depth = Math.min(6, (line.length - text.length) / 2);
    const kind = !at ? "verdict" : /^MISSED/.test(text) ? "bad" : /^passed/.test(text) ? "good" : null;
    const row = el("p", { class: "reason" + (kind ? " " + kind : "") }, at ? rich(text) : el("b", {}, text));
    row.style.marginLeft = depth * 1.2 + "rem";
    return row;
  });
}

// --- index and domains ---------------------------------------------------------------------------------------------

async function showIndex() {
  const index = await ask("index"), documents = index.documents;
  if (!documents.length) return [el("h1", {}, "Index"), empty("There is no index here.", "`brief index` builds one from the documents of this project.")];
  const dead = index.dead || [], stale = index.stale || { added: [], changed: [], removed: [] };
  const old = stale.added.length + stale.changed.length + stale.removed.length;
  const rows = el("div", {});
  const show = (text) => {
    const wanted = documents.filter((one) => (one.path + " " + one.title + " " + one.description + " " + one.tags.join(" ")).toLowerCase().includes(text.toLowerCase()));
    rows.replaceChildren(el("p", { class: "quiet small" }, number(wanted.length) + " of " + plural(documents.length, "document")), table([{ label: "Document", k: "wide" }, { label: "Description" }, { label: "Tokens", n: 1 }], wanted.slice(0, 500).map((one) => ({
      cells: [[el("span", { class: "mono" }, one.path), " ", whyLink(one.path), el("div", { class: "small quiet" }, one.title), one.problem ? el("div", { class: "bad small" }, one.problem) : null], [el("span", { class: "small" }, one.description), one.tags.map((tag) => [" ", el("span", { class: "tag" }, tag)])], number(one.tokens)],
    }))));
  };
  show("");
  return [el("h1", {}, "Index"),
    el("div", { class: "stats" }, stat(number(documents.length), "documents"), stat(number(documents.reduce((all, one) => all + one.tokens, 0)), "tokens"), stat(number(dead.length), "dead links", dead.length ? "bad" : "good"), stat(number(old), "files out of date", old ? "warn" : "good")),
    index.problem ? el("p", { class: "warn" }, "Links and changes are not known: " + index.problem) : null,
    dead.length ? [el("h2", {}, "Dead links"), table([{ label: "In", k: "wide" }, { label: "Leads to" }], dead.map((one) => ({ cells: [el("span", { class: "mono" }, one.path + ":" + one.line), el("span", { class: "mono bad" }, one.target)] })))] : null,
    old ? [el("h2", {}, "Out of date"), el("p", { class: "quiet" }, rich("`brief index` updates the index.")), table([{ label: "What", k: "t" }, { label: "File", k: "wide" }], ["added", "changed", "removed"].flatMap((word) => stale[word].map((path) => ({ cells: [word === "added" ? "new" : word, el("span", { class: "mono" }, path)] }))))] : null,
    el("h2", {}, "Documents"), el("label", { for: "find" }, "Find"), el("input", { id: "find", oninput: (event) => show(event.target.value) }), rows].flat();
}

async function showDomains() {
  const { domains } = await ask("domains");
  if (!domains.length) return [el("h1", {}, "Domains"), empty("There are no domains here.", "`brief init domain` starts one.")];
  const branch = (domain) => el("li", {}, el("details", { open: domain.is_here || null },
    el("summary", {}, el("b", {}, domain.name), " ", domain.is_here ? el("span", { class: "tag" }, "you are here") : null, domain.has_state ? [" ", el("span", { class: "tag" }, "hand-off")] : null, " ", el("span", { class: "quiet small mono" }, near(domain.path))),
    domain.problem ? el("p", { class: "bad small" }, domain.problem) : null, domain.stale ? el("p", { class: "warn small" }, domain.stale) : null,
    domain.info ? el("pre", {}, domain.info) : null, domain.files.length ? el("p", { class: "small quiet" }, "files: " + domain.files.join(", ")) : null),
    domain.children.length ? el("ul", { class: "tree" }, domain.children.map(branch)) : null);
  return [el("h1", {}, "Domains"), el("p", { class: "quiet" }, "The knowledge from the root of this project downwards."), el("ul", { class: "tree top" }, domains.map(branch))];
}

// --- the page ------------------------------------------------------------------------------------------------------

const SHOWN = { sessions: showSessions, session: showSession, report: showReport, try: showTry, why: showWhy, index: showIndex, domains: showDomains };
let turn = 0;

async function route() {
  const mine = ++turn, [name, ...values] = (location.hash.slice(1) || views[0]).split("=");
  const view = name === "session" ? "sessions" : name;
  if (name === "main") return;
  document.getElementById("nav").replaceChildren(...views.map((one) => el("a", { href: "#" + one, "aria-current": one === view ? "page" : null }, TITLES[one])));
  let parts;
  try {
    parts = views.includes(view) ? await SHOWN[name](...values.map(decodeURIComponent)) : [empty("There is no such view.", "Choose one above.")];
  } catch (problem) {
    parts = [empty("This cannot be shown.", problem.message)];
  }
  if (mine !== turn) return;
  main.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  const title = main.querySelector("h1");
  document.title = (title ? title.textContent : "Briefing") + " – Briefing";
  say(title ? title.textContent : "");
  document.documentElement.dataset.ready = name;
}

function start(embedded) {
  here = embedded.here;
  if (embedded.answers) data = embedded;
  if (data) views = data.views;
  addEventListener("hashchange", () => { route().then(() => main.focus()); });
  route();
}

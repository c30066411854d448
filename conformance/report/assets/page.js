"use strict";
// One state, kept in the address; everything on the page is drawn from it and from the data. Text only ever goes in as
// text nodes: what an adapter says is never markup.
const VERDICTS = ["faithful", "declared", "loud", "broken", "misleading", "not tested", "unscored"];
const MODES = ["buffered", "streamed"];
const $ = id => document.getElementById(id);
const slug = verdict => verdict.replace(" ", "-");
const media = matchMedia("(max-width: 820px)");
let data, state, cells = new Map(), rows = [], drawn = "";

function el(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(9).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}
// A sentence; what stands between backticks is code.
const prose = text => text.split(/`([^`]+)`/).map((part, place) => place % 2 ? el("code", {}, part) : part);
const glyph = verdict => el("i", {class: `g ${slug(verdict)}`, "aria-hidden": "true"});

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), char => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// The state and the address

function fromAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const set = name => new Set((said.get(name) || "").split(",").filter(Boolean));
  return {view: said.get("view") === "findings" ? "findings" : "behaviours", api: set("api"), verdict: set("verdict"), adapter: set("adapter"),
    check: said.get("check") || "", q: said.get("q") || "", differ: said.get("differ") === "1", cell: said.get("cell") || "", of: said.get("of") || ""};
}
function toAddress() {
  const said = [];
  const put = (name, value) => value && said.push(`${name}=${encodeURIComponent(value).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",")}`);
  if (state.view === "findings") put("view", "findings");
  for (const name of ["api", "verdict", "adapter"]) put(name, [...state[name]].join(","));
  put("check", state.check); put("q", state.q); put("differ", state.differ && "1"); put("cell", state.cell); put("of", state.cell && state.of);
  return said.join("&");
}
function change(how) {
  Object.assign(state, how);
  const address = toAddress();
  if (location.hash.slice(1) !== address) history.pushState(null, "", address ? `#${address}` : location.pathname + location.search);
  draw();
}
const toggled = (name, value) => { const next = new Set(state[name]); if (!next.delete(value)) next.add(value); return {[name]: next}; };

// What a cell counts as: its verdict, or what one check made of it

function countsAs(result) {
  if (!result) return null;
  if (!state.check) return result.v;
  const outcome = result.o[state.check];
  if (outcome === "pass") return "faithful";
  if (outcome === "declared" || outcome === "unscored") return outcome;
  if (outcome !== "fail") return null;
  return worst(result.f.filter(found => found.check === state.check && found.declared === null).map(found => found.verdict));
}
const worst = verdicts => verdicts.reduce((one, other) => VERDICTS.indexOf(other) > VERDICTS.indexOf(one) ? other : one, "faithful");
const runsShown = () => data.runs.filter(run => !state.adapter.size || state.adapter.has(run.key));
const wanted = verdict => verdict !== null && (!state.verdict.size || state.verdict.has(verdict));
const inSearch = (scenario) => !state.q || `${scenario.id} ${scenario.claim}`.toLowerCase().includes(state.q.toLowerCase());
const inApi = api => !state.api.size || state.api.has(api);

// The table of adapters and APIs

function tally(run, api) {
  const counts = {};
  for (const [cell, result] of Object.entries(run.cells)) if (cell.startsWith(`${api}/`)) counts[result.v] = (counts[result.v] || 0) + 1;
  return counts;
}
function bar(counts) {
  return el("div", {class: "bar", "aria-hidden": "true"}, VERDICTS.filter(name => counts[name]).map(name => el("i", {class: slug(name), style: `flex:${counts[name]}`})));
}
function summary() {
  const head = el("tr", {}, el("th"), data.apis.map(api => el("th", {scope: "col"}, api)));
  const body = data.runs.map(run => {
    const told = data.apis.map(api => {
      const counts = tally(run, api), some = Object.keys(counts).length;
      if (!some) return el("td", {});
      const said = VERDICTS.slice().reverse().filter(name => counts[name] && name !== "faithful").map(name => `${counts[name]} ${name}`);
      const label = `${run.label}, ${api}: ${[...said, `${counts.faithful || 0} faithful`].join(", ")}`;
      const shown = ["misleading", "broken", "loud", "not tested"].filter(name => counts[name]);
      return el("td", {}, el("button", {type: "button", "aria-label": label, title: label, onclick: () => change({adapter: new Set([run.key]), api: new Set([api]), verdict: new Set(), check: "", view: "behaviours"})},
        bar(counts), el("span", {class: "said"}, shown.length ? shown.map(name => el("b", {class: slug(name)}, `${counts[name]} ${name}`)) : `${counts.faithful || 0} faithful`)));
    });
    return el("tr", {}, el("th", {scope: "row"}, run.adapter, el("small", {}, run.version || "")), run.problem ? el("td", {colspan: data.apis.length, class: "wrong"}, run.problem) : told);
  });
  $("summary").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
  $("summary").append(...data.runs.filter(run => run.wiring.length).map(run => el("details", {}, el("summary", {}, `${run.label}: what could not be tested, and why`),
    run.wiring.map(text => el("pre", {class: "wiring"}, text)))));
  $("summary").append(...data.notes.map(text => el("details", {}, el("summary", {}, text.split("\n")[0]), el("pre", {class: "wiring"}, text))));
}

// Filters

function filters() {
  const pressed = (name, value) => String(state[name].has(value));
  const counts = {};
  for (const run of runsShown()) for (const [cell, result] of Object.entries(run.cells)) {
    const verdict = countsAs(result);
    if (verdict && inApi(cell.split("/")[0])) counts[verdict] = (counts[verdict] || 0) + 1;
  }
  const view = el("div", {class: "set", role: "group", "aria-label": "view"}, ["behaviours", "findings"].map(name =>
    el("button", {type: "button", "data-key": `view-${name}`, "aria-pressed": String(state.view === name), onclick: () => change({view: name})}, name)));
  const api = data.apis.length > 1 && el("div", {class: "set", role: "group", "aria-label": "API"}, data.apis.map(name =>
    el("button", {type: "button", "data-key": `api-${name}`, "aria-pressed": pressed("api", name), onclick: () => change(toggled("api", name))}, name)));
  const verdict = el("div", {class: "set", role: "group", "aria-label": "verdict"}, VERDICTS.filter(name => counts[name] || !["not tested", "unscored"].includes(name)).map(name =>
    el("button", {type: "button", class: slug(name), "data-key": `verdict-${slug(name)}`, title: data.meaning[name], "aria-pressed": pressed("verdict", name), disabled: !counts[name] && !state.verdict.has(name),
      onclick: () => change(toggled("verdict", name))}, glyph(name), name, el("small", {}, String(counts[name] || 0)))));
  const check = el("select", {"aria-label": "check", "data-key": "check", onchange: event => change({check: event.target.value})}, el("option", {value: ""}, "every check"),
    Object.keys(data.rules).map(id => el("option", {value: id, selected: state.check === id}, `${id} (${data.rules[id][0]})`)));
  const who = data.runs.length > 1 && el("select", {"aria-label": "adapter", "data-key": "adapter", onchange: event => change({adapter: new Set(event.target.value ? [event.target.value] : [])})},
    el("option", {value: ""}, `all ${data.runs.length} adapters`), data.runs.map(run => el("option", {value: run.key, selected: state.adapter.size === 1 && state.adapter.has(run.key)}, run.label)));
  const differ = data.runs.length > 1 && el("button", {type: "button", "data-key": "differ", "aria-pressed": String(state.differ), title: "only behaviours that the adapters shown do not treat alike",
    onclick: () => change({differ: !state.differ})}, "differs");
  const find = el("input", {type: "search", class: "find", "aria-label": "search behaviours", "data-key": "find", placeholder: "search, e.g. stop-fired", value: state.q, oninput: event => change({q: event.target.value})});
  const focus = document.activeElement?.dataset?.key, at = document.activeElement?.selectionStart;
  $("filters").replaceChildren(...[view, api, verdict, check, who, differ, find].filter(Boolean));
  const again = focus && document.querySelector(`#filters [data-key="${focus}"]`);
  if (again) { again.focus(); if (focus === "find") again.setSelectionRange(at, at); }
}

// The matrix

function matrix() {
  const runs = runsShown(), one = runs.length === 1;
  rows = []; cells = new Map();
  const sections = data.apis.filter(inApi).map(api => {
    const mine = runs.filter(run => run.apis.includes(api));
    if (!mine.length) return null;
    const body = data.scenarios.filter(scenario => scenario.api === api && inSearch(scenario)).map(scenario => row(scenario, mine, one)).filter(Boolean);
    if (!body.length) return null;
    const height = `height:${Math.min(170, 26 + 6 * Math.max(...mine.map(run => run.label.length)))}px`;
    const heads = mine.map(run => el("th", {class: "who", scope: "col", colspan: 2, style: height}, el("span", {title: run.label}, run.label)));
    const modes = mine.flatMap(() => [el("th", {title: "buffered", abbr: "buffered"}, "b"), el("th", {title: "streamed", abbr: "streamed"}, "s")]);
    return el("section", {class: "api"}, el("h2", {}, api, " ", el("small", {}, `${body.length} behaviours`)), el("div", {class: one ? "scroll" : "scroll many"},
      el("table", {class: "grid", role: "grid", "aria-label": `behaviours of ${api}`}, el("thead", {}, !one && el("tr", {}, el("th", {class: "pad"}), heads, el("th")),
        el("tr", {class: "modes"}, el("th", {class: "pad"}), modes, el("th"))), el("tbody", {}, body))));
  });
  $("list").replaceChildren(...sections.filter(Boolean));
  const first = document.querySelector("#list td.cell");
  if (first) first.tabIndex = 0;
  const many = rows.length;
  return many ? `${many} behaviours` : "nothing matches";
}
function row(scenario, runs, one) {
  let any = false;
  const all = [], verdicts = new Set();
  const tds = runs.flatMap((run, place) => MODES.map(mode => {
    const cell = `${scenario.id}:${mode}`, result = run.cells[cell], verdict = countsAs(result), edge = mode === "buffered" ? "b" : "last";
    if (verdict === null) return el("td", {class: edge === "b" ? "b" : ""});
    const hit = wanted(verdict);
    any ||= hit;
    verdicts.add(`${mode} ${verdict}`);
    const td = el("td", {class: `cell ${edge} ${slug(verdict)}${hit ? "" : " dim"}`, tabindex: "-1", role: "gridcell", "data-cell": cell, "data-of": run.key,
      "aria-label": `${run.label}, ${scenario.slug}, ${mode}: ${verdict}`, title: `${run.label} · ${mode}: ${verdict}`}, glyph(verdict));
    all.push(td);
    return td;
  }));
  const unlike = MODES.some(mode => new Set(runs.map(run => countsAs(run.cells[`${scenario.id}:${mode}`])).filter(Boolean)).size > 1);
  if (!any || (state.differ && !unlike)) return null;
  for (const td of all) cells.set(`${td.dataset.of} ${td.dataset.cell}`, td);
  rows.push(all);
  const tr = el("tr", {}, el("th", {scope: "row", class: "id", title: scenario.claim}, scenario.slug), tds, one ? tell(scenario, runs[0]) : el("td", {class: "tell claim"}, scenario.claim));
  return tr;
}
function tell(scenario, run) {
  const found = MODES.flatMap(mode => run.cells[`${scenario.id}:${mode}`]?.f || []).filter(each => !state.check || each.check === state.check);
  const open = found.filter(each => each.declared === null), first = open.find(each => each.severity === "MUST") || open[0] || found[0];
  if (!first) return el("td", {class: "tell"}, scenario.claim);
  return el("td", {class: `tell ${slug(first.verdict)}`, title: first.problem}, el("b", {}, first.check), first.declared === null ? first.problem : `declared: ${first.declared}`);
}

// Findings: the same problem in many cells is told once

function findings() {
  const kinds = new Map();
  for (const run of runsShown()) for (const [cell, result] of Object.entries(run.cells)) {
    const scenario = data.byId.get(cell.slice(0, cell.lastIndexOf(":")));
    if (!inApi(cell.split("/")[0]) || !inSearch(scenario)) continue;
    for (const found of result.f) {
      const verdict = found.declared === null ? found.verdict : "declared";
      if ((state.check && found.check !== state.check) || (state.verdict.size && !state.verdict.has(verdict))) continue;
      const key = JSON.stringify([found.declared === null, found.severity, found.check, found.problem, found.declared]);
      if (!kinds.has(key)) kinds.set(key, {found, verdict, where: new Map()});
      const where = kinds.get(key).where;
      if (!where.has(run.key)) where.set(run.key, [run, new Set()]);
      where.get(run.key)[1].add(cell);
    }
  }
  const rank = kind => [kind.found.declared === null ? 0 : 1, kind.found.severity === "MUST" ? 0 : 1, -VERDICTS.indexOf(kind.verdict)];
  const ranked = [...kinds.values()].sort((one, other) => { const a = rank(one), b = rank(other); return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || one.found.check.localeCompare(other.found.check); });
  const FEW = 6;
  $("list").replaceChildren(...ranked.map(({found, verdict, where}) => {
    const lists = [...where.values()].map(([run, mine]) => {
      const links = [...mine].map(cell => el("button", {type: "button", "data-cell": cell, "data-of": run.key, onclick: () => open(run.key, cell)}, cell));
      return [data.runs.length > 1 && el("p", {class: "who"}, `${run.label} (${mine.size})`), el("div", {class: "where"}, links.slice(0, FEW)),
        links.length > FEW && el("details", {}, el("summary", {}, `${links.length - FEW} more`), el("div", {class: "where"}, links.slice(FEW)))];
    });
    return el("article", {class: `kind ${slug(verdict)}`}, el("span", {class: "pill"}, glyph(verdict), verdict), el("span", {class: "sev"}, found.severity), " ", el("code", {}, found.check),
      el("p", {}, prose(found.problem)), found.declared !== null && el("p", {class: "why"}, prose(found.declared)), lists);
  }));
  return ranked.length ? `${ranked.length} kinds of finding` : "nothing matches";
}

// One cell

function open(of, cell, focus = true) {
  change({of, cell});
  if (focus) $("panel").focus();
}
function close() {
  const back = cells.get(`${state.of} ${state.cell}`) || document.querySelector(`#list [data-cell="${CSS.escape(state.cell)}"][data-of="${CSS.escape(state.of)}"]`);
  change({cell: "", of: ""});
  back?.focus();
}
function panel() {
  const run = data.runs.find(each => each.key === state.of) || data.runs.find(each => each.cells[state.cell]), result = run?.cells[state.cell];
  for (const td of document.querySelectorAll("td.chosen")) td.classList.remove("chosen");
  document.body.classList.toggle("open", Boolean(state.cell));
  $("panel").hidden = !state.cell;
  if (!state.cell) return;
  cells.get(`${run?.key} ${state.cell}`)?.classList.add("chosen");
  const cut = state.cell.lastIndexOf(":"), scenario = data.byId.get(state.cell.slice(0, cut)), mode = state.cell.slice(cut + 1);
  const copy = el("button", {type: "button", onclick: async event => { try { await navigator.clipboard.writeText(location.href); event.target.textContent = "copied"; } catch { prompt("the address of this cell", location.href); } }}, "copy link");
  const top = el("div", {class: "bar-top"}, el("span", {class: "pill " + slug(result?.v || "not tested")}, glyph(result?.v || "not tested"), result?.v || "no result"), el("span", {class: "acts"}, copy,
    el("button", {type: "button", id: "close", onclick: close, "aria-label": "close"}, "close")));
  if (!result || !scenario) {
    $("panel").replaceChildren(top, el("h2", {class: "id"}, state.cell), el("p", {}, "These results have no such cell."));
    return;
  }
  const wire = scenario.modes[mode] || {frames: [], right: {}}, serves = run.option === "--server";
  const parts = [top, el("h2", {class: "id"}, state.cell), el("p", {class: "of"}, run.label), result.problem && el("pre", {}, result.problem),
    el("dl", {}, el("dt", {}, serves ? "asked" : "the wire"), el("dd", {}, prose(scenario.claim)), el("dt", {}, "right"), el("dd", {}, prose(scenario.right)),
      scenario.accepts && [el("dt", {}, "accepted"), el("dd", {}, prose(scenario.accepts))]),
    result.f.map(found => finding(found)), result.stale.map(text => el("div", {class: "finding misleading"}, el("p", {}, `Stale: ${text}`))),
    (!serves || result.sent?.length > 0) && [el("h3", {}, "What came back"), both(result.seen || {}, wire.right, serves)],
    data.runs.length > 1 && [el("h3", {}, "The others here"), el("div", {class: "others"}, data.runs.filter(each => each.cells[state.cell]).map(each =>
      el("button", {type: "button", "aria-current": String(each === run), onclick: () => open(each.key, state.cell)}, glyph(each.cells[state.cell].v), each.label)))],
    !serves && [el("h3", {}, "What was asked"), el("p", {}, scenario.asked)], el("h3", {}, serves ? `${result.requests} requests${result.sent?.length ? "; this one shows it" : ""}` : result.sent?.length === 1 ? "What was sent" : `What was sent: ${result.requests} requests`),
    (result.sent || []).map(text => el("pre", {}, pretty(text))),
    !serves && el("h3", {}, `What the wire said: ${wire.http || "no cassette"}`), wire.frames.length > 0 && el("ol", {class: "frames", tabindex: "0"}, wire.frames.map((text, place) => el("li", {class: place === wire.at ? "at" : "", "data-n": String(place + 1)}, text))),
    el("h3", {}, "Evidence"), scenario.evidence.map(([kind, source]) => el("p", {}, `${kind}: `, prose(source))),
    !serves && el("p", {}, `The wire is ${scenario.standing}; the cassette is ${wire.origin || "missing"}.`, result.chunkings.length > 1 ? ` The bytes were cut in these ways: ${result.chunkings.join(", ")}.` : ""),
    el("h3", {}, "Run it again"), el("pre", {}, `pytest --pyargs conformance ${run.option} ${serves ? `${run.adapter.includes("@") ? run.adapter.replaceAll(" ", " --server ") : `${scenario.api}@${run.adapter}`} --model ${run.version}` : run.adapter} -k '${state.cell}'`)];
  $("panel").setAttribute("aria-label", `${run.label}, ${state.cell}`);
  $("panel").replaceChildren(...parts.flat(9).filter(Boolean));
  $("panel").scrollTop = 0;
}
function finding(found) {
  const rows = [["expected", found.expected], ["observed", found.observed], ["rule", data.rules[found.check]?.[1] || ""]];
  return el("div", {class: `finding ${slug(found.declared === null ? found.verdict : "declared")}`}, el("span", {class: "sev"}, found.severity), " ", el("code", {}, found.check), found.chunking && ` [${found.chunking}]`,
    el("p", {}, prose(found.problem), ` (${found.verdict})`), el("dl", {}, rows.map(([name, text]) => [el("dt", {}, name), el("dd", {}, name === "rule" ? prose(text) : el("code", {}, text))]),
      found.declared !== null && [el("dt", {}, "declared"), el("dd", {class: "by"}, prose(found.declared))]));
}
function both(seen, right, serves) {
  const names = [...new Set([...Object.keys(right), ...Object.keys(seen)])];
  if (!names.length) return el("p", {}, "Nothing.");
  // The reason is the adapter's own word for what the right reader calls by the suite's: not compared as text.
  const differs = name => !serves && !["reason", "raw_reason", "usage", "raised", "error", "warnings", "tool_calls"].includes(name) && (seen[name] ?? "") !== (right[name] ?? "");
  return el("table", {class: "both"}, el("colgroup", {}, el("col"), el("col"), el("col")), el("thead", {}, el("tr", {}, el("th"), el("th", {}, "a right reader"), el("th", {}, serves ? "this server" : "this adapter"))),
    el("tbody", {}, names.map(name => el("tr", {class: differs(name) ? "differs" : ""}, el("th", {scope: "row"}, name.replace("_", " ")), el("td", {}, right[name] ?? "—"), el("td", {}, seen[name] ?? "—")))));
}
function pretty(text) {
  if (text.startsWith("curl ")) return text;
  const at = text.indexOf("\n");
  try { return `POST ${text.slice(0, at)}\n${JSON.stringify(JSON.parse(text.slice(at + 1)), null, 2)}`; } catch { return `POST ${text}`; }
}

// Drawing, keys, start

function draw() {
  filters();
  const key = JSON.stringify([state.view, [...state.api], [...state.verdict], [...state.adapter], state.check, state.q, state.differ]);
  if (key !== drawn) {
    const said = state.view === "findings" ? findings() : matrix();
    const narrowed = state.api.size + state.verdict.size + state.adapter.size || state.check || state.q || state.differ;
    $("count").replaceChildren(said, ...(state.check ? [`, as ${state.check} sees them: ${data.rules[state.check]?.[1] || ""}`] : []), ...(narrowed ? [" · ", el("button", {type: "button", onclick: () =>
      change({api: new Set(), verdict: new Set(), adapter: new Set(), check: "", q: "", differ: false})}, "show all")] : []));
    drawn = key;
  }
  panel();
}
function step(td, key) {
  const seen = rows.flat(), line = rows.findIndex(each => each.includes(td)), place = rows[line].indexOf(td);
  if (key === "ArrowRight" || key === "ArrowLeft") return seen[seen.indexOf(td) + (key === "ArrowRight" ? 1 : -1)];
  const next = rows[line + (key === "ArrowDown" ? 1 : -1)];
  // The same column where there is one: rows lack cells of modes that a behaviour does not have.
  return next && (next.find(each => each.cellIndex === td.cellIndex) || next[Math.min(place, next.length - 1)]);
}
document.addEventListener("click", event => {
  const td = event.target.closest("td.cell"), head = event.target.closest(".grid tbody th");
  if (td) { td.focus(); open(td.dataset.of, td.dataset.cell, media.matches); }
  else if (head) { const first = head.parentElement.querySelector("td.cell:not(.dim)"); if (first) { first.focus(); open(first.dataset.of, first.dataset.cell, media.matches); } }
});
document.addEventListener("focusin", event => {
  if (!event.target.matches("td.cell")) return;
  for (const td of document.querySelectorAll("td.cell[tabindex='0']")) td.tabIndex = -1;
  event.target.tabIndex = 0;
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const td = event.target.closest?.("td.cell"), typing = event.target.matches?.("input, select");
  if (event.key === "Escape" && state.cell) { close(); event.preventDefault(); }
  else if (td && (event.key === "Enter" || event.key === " ")) { open(td.dataset.of, td.dataset.cell); event.preventDefault(); }
  else if (td && event.key.startsWith("Arrow")) {
    const next = step(td, event.key);
    event.preventDefault();
    if (!next) return;
    next.focus();
    next.scrollIntoView({block: "nearest", inline: "nearest"});
    if (state.cell) open(next.dataset.of, next.dataset.cell, false);
  }
  else if (typing) return;
  else if (event.key === "/") { document.querySelector("#filters .find").focus(); event.preventDefault(); }
  else if (event.key === "?") $("help").showModal();
  else if (event.key === "f") change({view: state.view === "findings" ? "behaviours" : "findings"});
});
$("help-open").addEventListener("click", () => $("help").showModal());
const THEMES = {"": "◐", light: "☀", dark: "☾"};
function theme(name) {
  document.documentElement.style.colorScheme = name || "light dark";
  $("theme").textContent = THEMES[name];
  $("theme").setAttribute("aria-label", `colours: ${name || "as the system"}`);
  $("theme").dataset.theme = name;
}
$("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES), next = names[(names.indexOf($("theme").dataset.theme) + 1) % names.length];
  theme(next);
  try { localStorage.setItem("theme", next); } catch { /* a page from a file may have no storage */ }
});
let remembered = "";
try { remembered = localStorage.getItem("theme") || ""; } catch { /* as above */ }
theme(remembered in THEMES ? remembered : "");
addEventListener("popstate", () => { state = fromAddress(); draw(); });
addEventListener("hashchange", () => { state = fromAddress(); draw(); });
unpacked($("data").textContent).then(given => {
  data = given;
  data.byId = new Map(data.scenarios.map(scenario => [scenario.id, scenario]));
  $("about").textContent = data.about;
  state = fromAddress();
  summary();
  draw();
  cells.get(`${state.of} ${state.cell}`)?.scrollIntoView({block: "center"});
  document.body.dataset.ready = "yes";
});

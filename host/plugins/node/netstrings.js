#!/usr/bin/env node
// A plugin in JavaScript, for an imaginary format that no program can describe because it counts. An output is a row of
// records, each a letter, a length in bytes, a colon, and so many bytes:
//
//   r7:Where?\n c12:Let me look. n11:get_weather a15:{"city":"Oslo"}     (without the blanks)
//
// r is reasoning, c content, n the name of a call, a its arguments. What is no record is told as content, as it is.
'use strict';

const fs = require('fs');
const path = require('path');

if (process.env.DRAGOMAN_PLUGIN !== '8f0d1e6a-handler') {
  console.error('This is a plugin: put it into the folder of plugins of a host, with its manifest.');
  process.exit(1);
}
// The process runs from a copy of this file; what it needs lies beside its manifest.
const directory = process.env.DRAGOMAN_PLUGIN_DIR;
const options = JSON.parse(process.env.DRAGOMAN_PLUGIN_OPTIONS);
const beside = require('module').createRequire(path.join(directory, 'netstrings.js'));
const grpc = beside('@grpc/grpc-js');
const loader = beside('@grpc/proto-loader');

const MAX_DIGITS = 9;
const MAX_NAME = 256;
const KINDS = { r: 'EVENT_KIND_REASONING', c: 'EVENT_KIND_CONTENT', a: 'EVENT_KIND_CALL_ARGUMENTS' };

// Parser reads one output. Its state is what has come of a header, or how much of a record is still to come.
class Parser {
  constructor() {
    Object.assign(this, { header: '', letter: '', left: 0, name: [], inCall: false, broken: false, received: 0, read: 0, events: [], faults: [] });
  }

  // feed takes the next bytes and returns what they decide.
  feed(data) {
    this.received += data.length;
    for (let at = 0; at < data.length; ) {
      if (this.broken) {
        this.tell('EVENT_KIND_CONTENT', data.subarray(at), true);
        break;
      }
      if (this.left > 0) {
        const n = Math.min(this.left, data.length - at);
        this.body(data.subarray(at, at + n));
        at += n;
        this.read += n;
      } else {
        this.read++;
        this.head(String.fromCharCode(data[at++]));
      }
    }
    return this.taken();
  }

  // head takes a character of a header.
  head(c) {
    this.header += c;
    const known = /^([rcna])(\d*)(:?)$/.exec(this.header);
    if (!known || known[2].length > MAX_DIGITS || (known[3] && !known[2]) || (known[1] === 'a' && !this.inCall)) return this.fail();
    if (!known[3]) return;
    const [, letter, length] = known;
    if (letter === 'n' && (+length === 0 || +length > MAX_NAME)) return this.fail();
    if (letter !== 'a') this.endCall();
    Object.assign(this, { header: '', letter, left: +length, name: [] });
    if (letter === 'a' && this.left === 0) this.endCall();
  }

  // body takes bytes of a record.
  body(bytes) {
    this.left -= bytes.length;
    if (this.letter === 'n') {
      this.name.push(bytes);
      if (this.left === 0) this.beginCall();
      return;
    }
    this.tell(KINDS[this.letter], bytes);
    if (this.letter === 'a' && this.left === 0) this.endCall(false);
  }

  beginCall() {
    this.inCall = true;
    this.tell('EVENT_KIND_CALL_BEGIN');
    this.tell('EVENT_KIND_CALL_NAME', Buffer.concat(this.name));
  }

  // endCall ends the call, if there is one; open: its arguments are not complete.
  endCall(open) {
    if (this.inCall) this.tell('EVENT_KIND_CALL_END', undefined, false, open);
    this.inCall = false;
  }

  // fail tells what was to be a header, and everything from there on, as content.
  fail() {
    this.endCall(true);
    this.broken = true;
    const at = this.read - this.header.length;
    this.faults.push({ at, farthest: this.read, message: `byte ${at}: expected a letter, a length and ":", found "${this.header}"` });
    this.tell('EVENT_KIND_CONTENT', Buffer.from(this.header, 'latin1'), true);
    this.header = '';
  }

  // finish returns what the end decides, and how the output ended.
  finish() {
    const cut = this.left > 0 || this.header !== '' || this.inCall;
    this.endCall(true);
    const status = this.broken ? 'STREAM_STATUS_MALFORMED' : cut ? 'STREAM_STATUS_TRUNCATED' : 'STREAM_STATUS_COMPLETE';
    return { events: this.taken(), result: { status, faults: this.faults } };
  }

  tell(kind, text = Buffer.alloc(0), recovered = false, open = false) {
    this.events.push({ kind, text: Buffer.from(text), recovered, open });
  }

  taken() {
    const events = this.events;
    this.events = [];
    return events;
  }
}

// parseStream answers each chunk, and the finish, with one message.
function parseStream(stream) {
  const parser = new Parser();
  stream.on('data', (request) => {
    if (request.chunk) {
      const events = parser.feed(request.chunk.data);
      stream.write({ events, received: parser.received });
    } else if (request.finish) {
      stream.write({ ...parser.finish(), received: parser.received });
    }
  });
  stream.on('end', () => stream.end());
}

// load reads services from a .proto file.
function load(file, ...includeDirs) {
  return grpc.loadPackageDefinition(loader.loadSync(file, { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true, includeDirs }));
}

// unary makes a method out of a function from its request to its response.
const unary = (answer) => (call, done) => done(null, answer(call.request));

const cases = fs.readFileSync(path.join(directory, 'cases.jsonl'));
const server = new grpc.Server();
server.addService(load('dragoman/plugin/v1/plugin.proto', options.proto).dragoman.plugin.v1.PluginService.service, {
  Describe: unary(() => ({ handlers: [{ name: 'netstrings', version: '1.0.0', match: 'source contains "netstrings"', priority: 100, streams: true }] })),
  Plan: unary(() => ({ plan: { stream: { token: Buffer.from('1') } } })),
  Cases: unary(() => ({ cases })),
  ParseStream: parseStream,
});
server.addService(load(path.join(directory, 'health.proto')).grpc.health.v1.Health.service, { Check: unary(() => ({ status: 'SERVING' })) });
server.addService(load(path.join(directory, 'controller.proto')).plugin.GRPCController.service, {
  Shutdown: unary(() => {
    setImmediate(() => process.exit(0));
    return {};
  }),
});

// The process ends with its host. The conformance suite gives no lifeline.
if (process.env.DRAGOMAN_LIFELINE_FD) {
  fs.createReadStream('', { fd: Number(process.env.DRAGOMAN_LIFELINE_FD) }).on('end', () => process.exit(0)).resume();
}

const socket = path.join(process.env.PLUGIN_UNIX_SOCKET_DIR, 'netstrings');
server.bindAsync('unix:' + socket, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  process.stdout.write(`1|1|unix|${socket}|grpc|\n`);
});

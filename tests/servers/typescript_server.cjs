// A server on the official TypeScript library, second generation, in both eras, over stdio or HTTP:
//
//     node typescript_server.cjs FOLDER [PORT]
//
// FOLDER has the library in its node_modules. The tools are those of mcp_server.py, as far as this library has them.
// Over HTTP a modern request gets a server of its own, so what has grown is kept outside, and told to all who listen.

const { randomUUID } = require('node:crypto');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const installed = createRequire(join(process.argv[2], 'package.json'));
const {
    McpServer,
    ResourceTemplate,
    UrlElicitationRequiredError,
    WebStandardStreamableHTTPServerTransport,
    completable,
    createMcpHandler,
    inputRequired,
    inputResponse,
    isLegacyRequest,
} = installed('@modelcontextprotocol/server');
const { serveStdio } = installed('@modelcontextprotocol/server/stdio');
const { z } = installed('zod');

const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const COUNTER = 'test://counter';
const SIGN_IN = 'https://sign-in.example/start';

const said = (text) => ({ content: [{ type: 'text', text }] });
const pause = (milliseconds, signal) =>
    new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
    });
const namesLike = (value) => ['Ada', 'Adele', 'Grace', 'Grete'].filter((name) => name.startsWith(value));
const guest = z.object({ name: z.string().min(1), age: z.int().default(30), subscribe: z.boolean().default(false) });

let value = 0;
let isMember = false;
let cancelled = 0;
const grown = [];
let listeners = null;

function simpleTools(server) {
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => said(text));
    server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
        said(String(a + b)),
    );
    const forecast = z.object({ city: z.string(), celsius: z.number(), hours: z.array(z.int()) });
    server.registerTool('weather', { inputSchema: z.object({ city: z.string() }), outputSchema: forecast }, ({ city }) => {
        const structuredContent = { city, celsius: 21.5, hours: [9, 12, 15] };
        return { ...said(JSON.stringify(structuredContent)), structuredContent };
    });
    const size = z.object({ megabytes: z.int().default(1) });
    server.registerTool('big', { inputSchema: size }, ({ megabytes }) => said('x'.repeat(megabytes * 1_000_000)));
    server.registerTool('image', {}, () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }));
    server.registerTool('fail', {}, () => {
        throw new Error('it broke');
    });
}

function telling(server) {
    const slow = z.object({ steps: z.int().default(3), seconds: z.number().default(0.3) });
    server.registerTool('slow', { inputSchema: slow }, async ({ steps, seconds }, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        for (let progress = 1; progress <= steps; progress++) {
            await pause((seconds / steps) * 1000, ctx.mcpReq.signal);
            if (ctx.mcpReq.signal.aborted) {
                cancelled += 1;
                return said('cancelled');
            }
            const params = { progressToken, progress, total: steps, message: `step ${progress}` };
            await ctx.mcpReq.notify({ method: 'notifications/progress', params });
        }
        return said(`${steps} steps`);
    });
    server.registerTool('cancelled', {}, () => said(String(cancelled)));
    server.registerTool('log', {}, async (ctx) => {
        for (const level of LEVELS) await ctx.mcpReq.log(level, { said: level }, 'test');
        return said('logged');
    });
    server.registerTool('count', {}, async () => {
        value += 1;
        await server.server.sendResourceUpdated({ uri: COUNTER });
        listeners?.resourceUpdated(COUNTER);
        return said(String(value));
    });
    server.registerTool('grow', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
        grow(server, name);
        grown.push(name);
        listeners?.toolsChanged();
        listeners?.resourcesChanged();
        return said(name);
    });
    for (const name of grown) grow(server, name);
}

function grow(server, name) {
    server.registerTool(name, { description: 'Grown.' }, () => said(name));
    server.registerResource(name, `test://grown/${name}`, {}, (uri) => ({ contents: [{ uri: uri.href, text: name }] }));
}

const OUTRIGHT = { type: 'object', properties: { name: { type: 'string' } } };

// What a tool asks comes back in a round of input; for a legacy client the library sends requests by itself.
function asking(server) {
    const ask = (key, ctx, question, use) => {
        const answer = inputResponse(ctx.mcpReq.inputResponses, key);
        return answer.kind === 'missing' ? inputRequired({ inputRequests: { [key]: question } }) : use(answer);
    };
    server.registerTool('ask', {}, (ctx) => {
        const question = inputRequired.elicit({ message: 'Who are you?', requestedSchema: guest });
        return ask('guest', ctx, question, ({ action, content }) => {
            if (action !== 'accept') return said(`the user said ${action}`);
            const { name, age, subscribe } = guest.parse(content);
            return said(`${name}, ${age}, ${subscribe ? 'subscribed' : 'not subscribed'}`);
        });
    });
    // In the middle of the call, which the modern era has no way for.
    server.registerTool('ask_outright', {}, async (ctx) => {
        const { action } = await ctx.mcpReq.elicitInput({ message: 'Who are you?', requestedSchema: OUTRIGHT });
        return said(`the user said ${action}`);
    });
    server.registerTool('ask_url', {}, (ctx) => {
        const question = inputRequired.elicitUrl({ message: 'Please sign in', url: SIGN_IN });
        return ask('visit', ctx, question, ({ action }) => said(`the user said ${action}`));
    });
    server.registerTool('sample', { inputSchema: z.object({ topic: z.string() }) }, ({ topic }, ctx) => {
        const messages = [{ role: 'user', content: { type: 'text', text: `A haiku about ${topic}, please.` } }];
        const question = inputRequired.createMessage({ messages, maxTokens: 64, systemPrompt: 'You are a poet.' });
        return ask('poem', ctx, question, ({ result }) => said(`${result.model} on ${topic}: ${result.content.text}`));
    });
    server.registerTool('roots', {}, (ctx) =>
        ask('roots', ctx, inputRequired.listRoots(), ({ roots }) => said(roots.map(({ uri }) => uri).join('\n'))),
    );
    server.registerTool('members_only', {}, () => {
        if (isMember) return said('welcome');
        const visit = { mode: 'url', message: 'Please sign in', url: SIGN_IN, elicitationId: 'visit-2' };
        const announce = server.server.createElicitationCompletionNotifier('visit-2');
        setTimeout(() => {
            isMember = true;
            void announce();
        }, 50);
        throw new UrlElicitationRequiredError([visit]);
    });
}

function resourcesAndPrompts(server) {
    server.registerResource('text', 'test://text', { mimeType: 'text/plain' }, (uri) => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'some text' }],
    }));
    server.registerResource('blob', 'test://blob', { mimeType: 'image/png' }, (uri) => ({
        contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }],
    }));
    server.registerResource('counter', COUNTER, {}, (uri) => ({ contents: [{ uri: uri.href, text: String(value) }] }));
    const people = new ResourceTemplate('test://people/{name}', { list: undefined, complete: { name: namesLike } });
    server.registerResource('person', people, { mimeType: 'text/plain' }, (uri, { name }) => ({
        contents: [{ uri: uri.href, text: `This is ${name}.` }],
    }));
    const argsSchema = z.object({ name: completable(z.string(), namesLike), style: z.string().optional() });
    server.registerPrompt('greet', { description: 'Greet somebody.', argsSchema }, ({ name, style }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name} in a ${style ?? 'friendly'} way.` } }],
    }));
}

function make() {
    const capabilities = {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
    };
    const server = new McpServer(
        { name: 'test-typescript', title: 'A test server', version: '1.2.3' },
        { capabilities, instructions: 'Ask for anything.', cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } } },
    );
    // The library leaves what a legacy client subscribes to to its users; it is told of the counter in any case.
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
    for (const register of [simpleTools, telling, asking, resourcesAndPrompts]) register(server);
    return server;
}

function serveHttp(port) {
    const modern = createMcpHandler(make);
    listeners = modern.notify;
    const sessions = new Map();
    const legacy = async (request) => {
        const id = request.headers.get('mcp-session-id');
        if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response('Session not found', { status: 404 });
        const transport = new WebStandardStreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: (id) => void sessions.set(id, transport),
            onsessionclosed: (id) => void sessions.delete(id),
        });
        await make().connect(transport);
        return transport.handleRequest(request);
    };
    const fetch = async (request) => ((await isLegacyRequest(request.clone())) ? legacy(request) : modern.fetch(request));
    installed('@hono/node-server').serve({ port, hostname: '127.0.0.1', fetch });
}

if (process.argv[3] === undefined) serveStdio(make);
else serveHttp(Number(process.argv[3]));

/** The style sheet, scripts and images of the pages, built by `tools/build-web.mjs`; their names contain a digest of their content. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { html } from '../../html/html.ts'
import { runsFromSource } from '../../program/main-file.ts'

/** Beside the compiled program. A program that runs from source, such as a test, uses the files of the last build. */
const folder = fileURLToPath(new URL(runsFromSource ? '../../../dist/web/' : './web/', import.meta.url))

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** File names with digests, keyed by the name in `src/web`. */
let names: Record<string, string> | null = null

function readNames(): Record<string, string> {
  names ??= JSON.parse(readFileSync(join(folder, 'names.json'), 'utf8')) as Record<string, string>
  return names
}

/** The URL of a file, by its name in `src/web`. */
export function asset(name: string): string {
  return `/assets/${readNames()[name] ?? name}`
}

/**
 * The policy of the frame that draws diagrams of users: it has no origin, so nothing in it reaches the pages or their cookies. It is our
 * only document with styles in its elements.
 */
const diagramPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** Files are cached for a year, as changed content has another name, and compressed if the browser accepts that. */
export function assetRoutes(server: FastifyInstance): void {
  server.get('/assets/diagrams.html', (_, reply) => {
    void reply.headers({ 'content-security-policy': diagramPolicy, 'x-frame-options': 'SAMEORIGIN', 'cache-control': 'no-cache' })
    return reply.type('text/html; charset=utf-8').send(
      html`
      <!DOCTYPE html>
      <html lang="en">
        <head><meta charset="utf-8"><title>Diagrams</title></head>
        <body><script type="module" src="${asset('diagram-frame.js')}"></script></body>
      </html>
    `.text,
    )
  })
  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params
    if (!Object.values(readNames()).includes(name)) return reply.callNotFound()
    const isBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
    void reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    // A frame without an origin loads its script as from another site.
    void reply.header('access-control-allow-origin', '*')
    if (isBrotli) void reply.header('content-encoding', 'br')
    return reply.type(types[extname(name)] ?? 'application/octet-stream').send(await readFile(join(folder, isBrotli ? `${name}.br` : name)))
  })
}

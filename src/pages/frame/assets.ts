/** The style sheet, the scripts and the pictures of the pages: built by `tools/build-web.mjs`, with names that change with them. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { runsFromSource } from '../../program/main-file.ts'

/** Beside the compiled program. What runs from its source, as tests do, uses those of the last build. */
const folder = fileURLToPath(new URL(runsFromSource ? '../../../dist/web/' : './web/', import.meta.url))

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The names of the files, each with the digest of its content, by their names in `src/web`. */
let names: Record<string, string> | null = null

function readNames(): Record<string, string> {
  names ??= JSON.parse(readFileSync(join(folder, 'names.json'), 'utf8')) as Record<string, string>
  return names
}

/** The address of a file, by the name it has in `src/web`. */
export function asset(name: string): string {
  return `/assets/${readNames()[name] ?? name}`
}

/** Every file for a year, compressed where the browser takes it: another content has another name. */
export function assetRoutes(server: FastifyInstance): void {
  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params
    if (!Object.values(readNames()).includes(name)) return reply.callNotFound()
    const isBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
    void reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    if (isBrotli) void reply.header('content-encoding', 'br')
    return reply.type(types[extname(name)] ?? 'application/octet-stream').send(await readFile(join(folder, isBrotli ? `${name}.br` : name)))
  })
}

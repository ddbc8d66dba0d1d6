/** Test-specific pages, in the frame of all pages. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Page } from '../../src/pages/frame/declaration.ts'
import { pages } from '../../src/pages/index.ts'
import { buildServer } from '../../src/server.ts'
import { type Browser, browserOf } from './browser.ts'
import type { Forge } from './forge.ts'
import { atEndOfFile } from './run/cleanup.ts'

export interface Framed {
  server: FastifyInstance
  browser: () => Browser
  /** The URL of the server, which is started at the first call. */
  url: () => Promise<string>
}

/** A server of the forge with these pages in addition to all others. */
export async function framed(forge: Forge, own: Page[]): Promise<Framed> {
  const server = await buildServer(forge.app, async () => [...own, ...pages])
  atEndOfFile(() => server.close())
  let listening: Promise<string> | null = null
  return {
    server,
    browser: () => browserOf(server),
    url() {
      listening ??= server.listen({ host: '127.0.0.1', port: 0 }).then(() => {
        const { port } = server.server.address() as AddressInfo
        return `http://127.0.0.1:${port}`
      })
      return listening
    },
  }
}

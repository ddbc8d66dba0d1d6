/** isomorphic-git, unmodified, in a page of another origin: it clones and pushes without a proxy in between. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { packages } from '../clients/npm-programs.ts'
import { git } from '../support/git.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { browsing, servedForge } from './support.ts'

const scripts = [
  '@isomorphic-git/lightning-fs/dist/lightning-fs.min.js',
  'isomorphic-git/index.umd.min.js',
  'isomorphic-git/http/web/index.umd.js',
]

/** isomorphic-git expects it of the page. */
async function bufferForPages(): Promise<string> {
  const stdin = { contents: `globalThis.Buffer = require('buffer/').Buffer`, resolveDir: packages }
  const { outputFiles } = await build({ stdin, bundle: true, format: 'iife', write: false })
  return outputFiles[0]?.text ?? ''
}

/** A site that knows nothing of us, with these scripts: its address. */
async function openSite(): Promise<string> {
  const page = `<!doctype html><link rel="icon" href="data:,"><title>Site</title><script>${await bufferForPages()}</script>${scripts.map((path) => `<script src="/${path}"></script>`).join('')}`
  const files = new Map<string, Buffer>(
    await Promise.all(scripts.map(async (path) => [`/${path}`, await readFile(join(packages, path))] as const)),
  )
  const server = createServer(({ url = '' }, response) => {
    const script = files.get(url)
    response.setHeader('content-type', `${script ? 'text/javascript' : 'text/html'}; charset=utf-8`)
    response.end(script ?? page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test.skipIf(!existsSync(join(packages, 'isomorphic-git')))(
  'a page of another origin clones a private project by a token, and pushes a commit to it',
  inFullRun('4 s of processor: a browser. cors.test.ts asks what it asks.'),
  browsing(
    async (open) => {
      const forge = await servedForge()
      const project = await forge.project({ files: { 'README.md': 'From the server\n' } })
      const tab = await open({ url: await openSite() })
      await tab.goto('/')
      const read = await tab.evaluate(`(async () => {
        const fs = new LightningFS('clone', { wipe: true })
        const dir = '/work'
        const http = GitHttp
        const onAuth = () => ({ username: 'anything', password: ${JSON.stringify(forge.root.token)} })
        const url = ${JSON.stringify(`${await forge.url()}/${project.full_path}.git`)}
        await git.clone({ fs, http, dir, url, onAuth })
        const read = await fs.promises.readFile(dir + '/README.md', 'utf8')
        await fs.promises.writeFile(dir + '/new.txt', 'From the browser')
        await git.add({ fs, dir, filepath: 'new.txt' })
        await git.commit({ fs, dir, message: 'Add a file', author: { name: 'Ada', email: 'ada@example.com' } })
        await git.push({ fs, http, dir, onAuth })
        return read
      })()`)
      expect(read).toBe('From the server\n')
      expect(await git(project.dir, 'show', 'main:new.txt')).toBe('From the browser')
    },
    // It asks without credentials first.
    { expected: /status of 401/ },
  ),
)

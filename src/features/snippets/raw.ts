/** Serves the content of a snippet file as bytes that browsers never execute. */
import type { App } from '../../app.ts'
import type { Snippet } from '../../db/tables.ts'
import { notFound } from '../../failure.ts'
import type { RawReply } from '../../http/declare/endpoint.ts'
import { disposition } from '../../http/reply/content-disposition.ts'
import { filesOf } from './snippets.queries.ts'

/** The first file, or the one with this path. Throws 404. */
export async function rawSnippet(app: App, snippet: Snippet, path?: string): Promise<RawReply> {
  const files = await filesOf(app.db, snippet.id)
  const file = path === undefined ? files[0] : files.find((one) => one.path === path)
  if (!file) throw notFound('File')
  const bytes = Buffer.from(file.content)
  const name = file.path.split('/').at(-1) ?? ''
  return {
    size: bytes.length,
    describe: () => ({ type: 'text/plain; charset=utf-8', 'content-disposition': disposition('inline', name) }),
    open: (part) => (part ? bytes.subarray(part.start, part.end + 1) : bytes),
  }
}

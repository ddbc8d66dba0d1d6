/** The files of a repository on disk, for administrators. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'
import { findWiki } from '../../access/wikis.ts'
import { notFound } from '../../failure.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { snapshotOf } from '../../git/transfer/snapshot.ts'
import { streamEndpoint } from '../../http/declare/endpoint.ts'
import { administratorOf, project } from '../../http/declare/rules.ts'
import { Off } from '../../http/parameters/schema.ts'
import { disposition } from '../../http/reply/content-disposition.ts'

export const snapshots = [
  streamEndpoint('GET /projects/:id/snapshot', {
    summary: 'Download the repository of a project or of its wiki, as a tar archive of its files on disk',
    access: administratorOf(project('signed-in')),
    query: { wiki: Off },
    async handle({ app, repo: code, project, query }) {
      const found = query.wiki ? await findWiki(app.db, { kind: 'project', row: project }) : null
      if (query.wiki && !found) throw notFound('Repository')
      const repo = found ? app.git.openWiki(found.id) : code
      return {
        describe: () => ({ type: 'application/x-tar', 'content-disposition': disposition('attachment', 'snapshot.tar') }),
        open: () => openSnapshot(repo),
      }
    },
  }),
]

/** Git recognizes a repository only with these folders. */
const folders = ['refs', 'objects']

/** The files of the repository as a tar archive, read while it is sent. */
function openSnapshot(repo: Repo): Readable {
  const archive = pack()
  fill(archive, repo).catch((error: Error) => archive.destroy(error))
  // The reader gets the error. While there is no reader, an unhandled error would end the process.
  archive.on('error', () => {})
  return Readable.from(archive)
}

async function fill(archive: Pack, repo: Repo): Promise<void> {
  for (const name of folders) archive.entry({ name, type: 'directory' })
  for await (const { name, size, handle } of snapshotOf(repo)) {
    const source = size === 0 ? Readable.from([]) : handle.createReadStream({ autoClose: false, start: 0, end: size - 1 })
    await pipeline(source, archive.entry({ name, size }))
  }
  archive.finalize()
}

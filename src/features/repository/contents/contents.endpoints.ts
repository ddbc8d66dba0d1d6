/** Trees and blobs of a repository (spec 4.14). */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { type ListedEntry, listTree } from '../../../git/objects/trees.ts'
import { endpoint, listEndpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Base64, nameInPath, Off, resource } from '../../../http/parameters/schema.ts'
import { nextPage, startOfPage, tokenParameters } from '../../../http/reply/page-token.ts'
import { presentOnce } from '../../../http/reply/serialize.ts'
import { requireCommitOrTip } from '../revisions.ts'
import { assertFitsInJson, blobAt } from './contents.service.ts'
import { rawBlob } from './raw-blob.ts'

const TreeEntry = resource('TreeEntry', {
  id: Type.String(),
  name: Type.String(),
  type: Type.String({ description: 'tree, blob, or commit for a submodule' }),
  path: Type.String(),
  mode: Type.String(),
})

const Blob = resource('Blob', { size: Type.Integer(), encoding: Type.String(), content: Base64, sha: Type.String() })

const blob = nested({ sha: nameInPath('Id of the blob') }, async ({ repo }: ProjectGranted, { sha }) => ({
  blob: await blobAt(repo, sha),
}))

/** A cached page of a tree is immutable, so its JSON is cached with it. */
const presentEntries = presentOnce((entries: ListedEntry[]) =>
  entries.map(({ oid, name, type, path, mode }) => ({ id: oid, name, type, path, mode })),
)

export const repository = [
  listEndpoint('GET /projects/:id/repository/tree', {
    summary: 'List the files and folders of a commit',
    access: project('code'),
    fromRepository: true,
    query: {
      path: Type.Optional(Type.String({ description: 'Folder to list; the root by default' })),
      ref: Type.Optional(Type.String({ description: 'Branch, tag or commit; the default branch by default' })),
      recursive: Off,
      ...tokenParameters,
    },
    item: TreeEntry,
    async handle({ repo, project, query, page }) {
      const commit = await requireCommitOrTip(repo, project, query.ref, 'Tree')
      const found = await listTree(repo, { commit, path: query.path ?? '', recursive: query.recursive }, startOfPage(query, page))
      // Clients list a folder to find out whether it exists.
      if (!found) return { rows: [], total: 0, ...nextPage(query, false, undefined) }
      const { rows, total, more } = found
      return { rows: presentEntries(rows), total, ...nextPage(query, more, rows.at(-1)?.path) }
    },
  }),
  endpoint('GET /projects/:id/repository/blobs/:sha', {
    summary: 'Get a blob',
    access: within(project('code'), blob),
    reply: Blob,
    async handle({ repo, blob: { oid, size } }) {
      assertFitsInJson(size)
      const read = await readBlob(repo, oid)
      if (!read) throw notFound('Blob')
      return { size, encoding: 'base64', content: read.data.toString('base64'), sha: oid }
    },
  }),
  streamEndpoint('GET /projects/:id/repository/blobs/:sha/raw', {
    limit: 'raw_blob',
    summary: 'Get the raw content of a blob',
    access: within(project('code'), blob),
    handle: ({ repo, blob }) => rawBlob(repo, blob, blob.oid),
  }),
]

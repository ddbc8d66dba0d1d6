/** A file of a revision: as a page, and as it is. */
import type { LocatedProject } from '../../../access/find.ts'
import { notFound } from '../../../failure.ts'
import { rawBlob } from '../../../features/repository/contents/contents.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import type { TreeEntry } from '../../../git/objects/parse.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { project } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { type Html, html } from '../../frame/html.ts'
import { count, size } from '../../frame/phrases.ts'
import { addressAt, type Place, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitLine } from '../history/commits.ts'
import { crumbsOf } from './crumbs.ts'

/** Larger files are only offered as they are. */
const maxShown_bytes = 2 * 1024 * 1024
const sniffed_bytes = 8_000

interface FoundBlob {
  name: string
  oid: string
  size: number
}

export const blobPages = [
  page('GET /:project/blob/*', {
    access: project('code'),
    async show({ project, level, user, repo, params }) {
      const place = await placeAt(repo, params['*'])
      const entry = await entryAt(repo, place)
      if (entry?.type === 'tree') return { redirect: addressAt(project.full_path, 'tree', place.revision, place.path), status: 302 }
      const blob = await blobOf(repo, entry)
      const last = await lastCommitOf(repo, place.commit, place.path)
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: `${place.path} at ${place.revision}`,
          main: html`<h1 class="unseen">${blob.name}</h1>${crumbsOf(project, place)}
${last !== null && commitLine(project, await readCommit(repo, last))}${await contentOf(repo, project, place, blob)}`,
        },
      )
    },
  }),
  page('GET /:project/raw/*', {
    access: project('code'),
    async show({ repo, params }) {
      const blob = await blobOf(repo, await entryAt(repo, await placeAt(repo, params['*'])))
      return { bytes: rawBlob(repo, blob, blob.name) }
    },
  }),
]

async function entryAt(repo: Repo, { commit, path }: Place): Promise<TreeEntry | null> {
  return findEntry(repo, (await readCommit(repo, commit)).tree, path)
}

/** Throws 404 where the entry is no file. */
async function blobOf(repo: Repo, entry: TreeEntry | null): Promise<FoundBlob> {
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!entry || !info) throw notFound('File')
  return { name: entry.name, oid: info.oid, size: info.size }
}

async function contentOf(repo: Repo, { full_path }: LocatedProject, { revision, path }: Place, blob: FoundBlob): Promise<Html> {
  const raw = addressAt(full_path, 'raw', revision, path)
  const data = blob.size > maxShown_bytes ? null : ((await readBlob(repo, blob.oid))?.data ?? null)
  const isText = data !== null && !data.subarray(0, sniffed_bytes).includes(0)
  const lines = isText ? data.toString('utf8').replace(/\n$/, '').split('\n') : []
  const facts = [...(isText ? [count(lines.length, 'line')] : []), size(blob.size)].join(', ')
  const why = data === null ? 'The file is too large to be shown here.' : 'The file is not text.'
  return html`<section class="file" aria-label="${blob.name}"><header><span>${blob.name}</span><span class="hint">${facts}</span>
<a class="end" href="${raw}">Raw</a></header>
${isText ? codeOf(lines) : html`<p class="empty">${why} <a href="${raw}" download>Download</a></p>`}</section>`
}

/** Each line can be linked to: `#L7`. Its number is not copied with it. */
function codeOf(lines: readonly string[]): Html {
  return html`<pre class="code">${lines.map(
    (line, index) => html`<span id="L${index + 1}"><a href="#L${index + 1}">${index + 1}</a>${line}\n</span>`,
  )}</pre>`
}

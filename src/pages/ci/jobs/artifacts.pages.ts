/** Artifacts of a job: downloading the archive, browsing it without unpacking it, and single files. */

import { jobAddress } from '../../../addresses/ci.ts'
import type { App } from '../../../app.ts'
import type { CiArtifact } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type ArchivedFile, listArchive, openArchived, requireArtifact, requireReader } from '../../../features/ci/artifacts/artifacts.ts'
import { jobReaders } from '../../../features/ci/overviews/overviews.ts'
import { html } from '../../../html/html.ts'
import { size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { page, type View } from '../../frame/declaration.ts'
import { emptyState, icon, isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { type JobSeen, jobInPath } from '../seen.ts'

const access = within(jobReaders, jobInPath)
const maxShown = 2_000
/** Limit of the shown paths: each is in the page twice. */
const maxPaths_chars = 512 * 1024

export const artifactPages = [
  page('GET /:project/-/jobs/:job_id/artifacts/download', {
    access,
    show: async (seen) => ({ bytes: archiveOf(seen.app, await archiveFor(seen)) }),
  }),
  page('GET /:project/-/jobs/:job_id/artifacts/browse', { access, show: (seen) => folderView(seen, '') }),
  page('GET /:project/-/jobs/:job_id/artifacts/browse/*', { access, show: (seen) => folderView(seen, `${seen.params['*']}/`) }),
  page('GET /:project/-/jobs/:job_id/artifacts/file/*', {
    access,
    async show(seen) {
      const path = seen.params['*']
      const file = await openArchived(seen.app, await archiveFor(seen), path)
      if (!file) throw notFound('File')
      const headers = { type: 'application/octet-stream', 'content-disposition': disposition('attachment', path.split('/').at(-1) ?? path) }
      return { bytes: { describe: () => headers, open: () => file.open() } }
    },
  }),
]

async function archiveFor(seen: JobSeen): Promise<CiArtifact> {
  const archive = await requireArtifact(seen.app.db, seen.status.id, 'archive')
  requireReader(seen, archive)
  return archive
}

function archiveOf(app: App, { store_key, size: bytes, filename }: CiArtifact): RawReply {
  return {
    size: bytes,
    describe: () => ({ type: 'application/zip', 'content-disposition': disposition('attachment', filename) }),
    open: (part) => app.store.open(store_key, part),
  }
}

/** The direct entries of a folder, as many as are shown: folders first, without duplicates. */
function inFolder(files: readonly ArchivedFile[], folder: string): { folders: string[]; files: ArchivedFile[] } {
  const below = files.filter(({ path }) => path.startsWith(folder) && path !== folder)
  const folders = new Set(
    below.flatMap(({ path }) => (path.slice(folder.length).includes('/') ? [path.slice(folder.length).split('/', 1)[0] ?? ''] : [])),
  )
  const direct = below.filter(({ path }) => !path.slice(folder.length).includes('/'))
  return { folders: shownOf([...folders].sort(), (name) => folder + name), files: shownOf(direct, ({ path }) => path) }
}

function shownOf<R>(rows: readonly R[], pathOf: (row: R) => string): R[] {
  let chars = 0
  return rows.slice(0, maxShown).filter((row) => {
    chars += pathOf(row).length
    return chars <= maxPaths_chars
  })
}

async function folderView(seen: JobSeen, folder: string): Promise<View> {
  const { app, project, level, user, status } = seen
  const address = `${jobAddress(project, status.id)}/artifacts`
  const found = inFolder(await listArchive(app, await archiveFor(seen)), folder)
  if (folder !== '' && found.folders.length === 0 && found.files.length === 0) throw notFound('Folder')
  const link = (kind: 'browse' | 'file', path: string) => `${address}/${kind}/${path.split('/').map(encodeURIComponent).join('/')}`
  const above = folder.split('/').slice(0, -2).join('/')
  const rows = [
    ...(folder === ''
      ? []
      : [
          html`
            <li>
              ${icon('folder')}
              <div class="what">
                <a href="${above === '' ? `${address}/browse` : link('browse', above)}">..<span class="unseen">
                    the folder above</span></a>
              </div>
            </li>
          `,
        ]),
    ...found.folders.map(
      (name) => html`<li>${icon('folder')}<div class="what"><a href="${link('browse', folder + name)}">${isolated(name)}</a></div></li>`,
    ),
    ...found.files.map(
      ({ path, size: bytes }) =>
        html`
          <li>
            ${icon('file')}
            <div class="what"><a href="${link('file', path)}">${isolated(path.slice(folder.length))}</a></div>
            <div class="facts">${size(bytes)}</div>
          </li>
        `,
    ),
  ]
  return projectView(
    { project, level, user, tab: 'pipelines', showsCode: false },
    {
      title: t`Artifacts of ${status.name} (#${status.id})`,
      main: html`
        <div class="heading">
          <h1>Artifacts of ${isolated(status.name)}</h1>
          <div class="actions"><a class="button" href="${address}/download">${icon('download')} Download</a></div>
        </div>
        <p>
          <a href="${jobAddress(project, status.id)}">Job #${status.id}</a>
          ${folder !== '' && html`<code>${folder}</code>`}
        </p>
        ${rows.length === 0 ? emptyState(t`The archive is empty.`) : html`<ul class="rows">${rows}</ul>`}
      `,
    },
  )
}

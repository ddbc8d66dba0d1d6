/** The page of a path that a revision doesn't have: a page of its project, with links to what exists. */

import { addressAt } from '../../../addresses/repository.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { emptyState } from '../../frame/parts.ts'
import type { Place } from '../../project/address.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { crumbsOf, type FilesPage, refSwitcher, refSwitchScript } from './crumbs.ts'
import { baseName, fileName } from './names.ts'
import { sentences } from './sentences.ts'

export async function missingView(seen: Seen, repo: Repo, place: Place, page: FilesPage): Promise<View> {
  const { project } = seen
  const revision = shortRevision(place.revision)
  const name = baseName(place.path)
  return projectView(
    { ...seen, tab: 'files' },
    {
      title: t`${place.path} at ${revision}`,
      status: 404,
      main: html`
        <h1 class="unseen">${fileName(name)}</h1>
        <div class="place">${crumbsOf(project, place, await refSwitcher(repo, project, place, page))}</div>
        ${emptyState(
          sentences.missing(name, revision),
          html`<p><a href="${addressAt(project.full_path, 'tree', place.revision)}">Files of ${revision}</a></p>`,
        )}
      `,
      scripts: [refSwitchScript],
    },
  )
}

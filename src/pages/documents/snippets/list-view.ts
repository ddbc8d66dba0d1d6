/** Lists of snippets: the user's own, those of a project, and all public ones. */

import { visibilities } from '../../../access/levels.ts'
import type { Viewer } from '../../../access/visible.ts'
import { snippetAddress } from '../../../addresses/documents.ts'
import type { App } from '../../../app.ts'
import type { Visibility } from '../../../db/tables.ts'
import {
  countByVisibility,
  type DescribedSnippet,
  describeSnippets,
  listSnippets,
  type SnippetFilter,
} from '../../../features/snippets/snippets.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { visibilityNames, visibilityTag } from '../../frame/levels.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated, navigation } from '../../frame/parts.ts'
import { sentences } from './sentences.ts'

const perPage = 20

export interface Query {
  page: number
  visibility?: Visibility | undefined
}

interface Listed {
  /** URL of the list, without its query. */
  address: string
  filter: SnippetFilter
  /** URL of the form for a new one; null if the viewer may not create any. */
  creation: string | null
  heading: string
  /** Text of an empty list. */
  none?: string
}

/** The list with a tab for each visibility: six statements. */
export async function snippetList(
  app: App,
  viewer: Viewer,
  { address, filter, creation, heading, none }: Listed,
  sent: Query,
): Promise<Html> {
  const { rows, total } = await listSnippets(
    app.db,
    viewer,
    { ...filter, visibility: sent.visibility },
    pageFrom({ ...sent, per_page: perPage }),
  )
  const counts = await countByVisibility(app.db, viewer, filter)
  const described = await describeSnippets(app.db, rows)
  const add = creation !== null && html`<a class="button primary" href="${creation}">${icon('plus')} New snippet</a>`
  const all = counts.private + counts.internal + counts.public
  const links = [
    { label: t`All ${all}`, href: address, isCurrent: sent.visibility === undefined },
    ...visibilities.map((level) => ({
      label: `${visibilityNames[level]} ${counts[level]}`,
      href: `${address}?visibility=${level}`,
      isCurrent: sent.visibility === level,
    })),
  ]
  const here = sent.visibility ? `${address}?visibility=${sent.visibility}` : address
  return html`
    <div class="heading">
      <h1>${heading} <span class="hint">${count(total, 'snippet')}</span></h1>
      ${add}
    </div>
    ${all > 0 && navigation(t`Visibility`, links, 'tabs second')}
    ${
      rows.length === 0
        ? emptyState(none ?? sentences.none, all === 0 && add)
        : html`<ul class="rows">${described.map((one) => snippetRow(one, filter.project_id === undefined))}</ul>`
    }
    ${pagesBelow(here, { page: sent.page, per_page: perPage, total })}
  `
}

export function snippetRow({ snippet, author, project_path, paths }: DescribedSnippet, withProject: boolean): Html {
  const { title, visibility, file_name, user_notes_count, updated_at } = snippet
  return html`
    <li>
      <div class="what">
        <a href="${snippetAddress(snippet, project_path)}">${isolated(title)}</a> ${visibilityTag(visibility)}
        <p>
          ${isolated(file_name)}${paths.length > 1 && t` and ${count(paths.length - 1, 'more file', 'more files')}`} · by
          <a href="/${author.username}">${isolated(author.name)}</a>${
            withProject && project_path !== null && html` in <a href="/${project_path}/snippets">${isolated(project_path)}</a>`
          }
        </p>
      </div>
      <div class="facts"><span>${count(user_notes_count, 'comment')}</span><span>updated ${ago(updated_at)}</span></div>
    </li>
  `
}

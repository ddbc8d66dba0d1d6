/** Switches to another revision of the same place: by its name, or from a list of those that contain a text. */

import { Type } from 'typebox'
import { addressAt } from '../../../addresses/repository.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { page } from '../../frame/declaration.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { type ListedRefs, refsFound } from './refs-found.ts'
import { sentences } from './sentences.ts'

const maxShown = 50

/** The place to show at another revision. */
const place = {
  page: oneOfDefault('tree', 'blob', 'blame', 'find_file', 'commits'),
  path: Type.String({ default: '' }),
  ref: Type.String({ default: '' }),
}

export const switchPages = [
  page('GET /:project/refs/switch', {
    access: project('code'),
    query: place,
    async show({ project, level, user, repo, sent }) {
      const { full_path } = project
      const wanted = sent.ref.trim()
      if (wanted !== '' && (await resolveCommit(repo, wanted)))
        return { redirect: addressAt(full_path, sent.page, wanted, sent.path), status: 302 }
      const { branches, tags } = await refsFound(repo, { full_path, ...sent, search: wanted, limit: maxShown })
      const list = (title: string, refs: ListedRefs) =>
        refs.rows.length > 0 &&
        html`
          <h2>${title}</h2>
          <ul class="rows">
            ${refs.rows.map(({ name, address }) => html`<li><a href="${address}">${isolated(name)}</a></li>`)}
          </ul>
        `
      const isEmpty = branches.rows.length + tags.rows.length === 0
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: t`Switch revision`,
          main: html`
            <h1>Switch revision</h1>
            <form class="filters" role="search" action="/${full_path}/refs/switch">
              <input type="hidden" name="page" value="${sent.page}">
              <input type="hidden" name="path" value="${sent.path}"><label for="ref">Branch, tag or commit</label>
              <input id="ref" name="ref" type="search" value="${wanted}"><button>Go</button>
            </form>
            ${isEmpty && emptyState(sentences.no_such_ref(wanted))}
            ${list(t`Branches`, branches)}${list(t`Tags`, tags)}
          `,
        },
      )
    },
  }),
  /** For the menu, which filters while the user types. */
  page('GET /:project/refs/names', {
    access: project('code'),
    query: place,
    async show({ project: { full_path }, repo, sent }) {
      const found = await refsFound(repo, { full_path, ...sent, search: sent.ref.trim(), limit: maxShown })
      const bytes = Buffer.from(JSON.stringify(found))
      return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
    },
  }),
]

/** Another revision of the same place: by its name, or from a list of those that contain what was typed. */
import { Type } from 'typebox'
import { branchRevision, tagRevision } from '../../../git/refs/names.ts'
import { pageOfRefs, type RefPage } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { html } from '../../../html/html.ts'
import { project } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { page } from '../../frame/declaration.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { addressAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { sentences } from './sentences.ts'

const maxShown = 50

export const switchPages = [
  page('GET /:project/refs/switch', {
    access: project('code'),
    query: {
      page: oneOfDefault('tree', 'blob', 'blame', 'find_file', 'commits'),
      path: Type.String({ default: '' }),
      ref: Type.String({ default: '' }),
    },
    async show({ project, level, user, repo, sent }) {
      const { full_path } = project
      const wanted = sent.ref.trim()
      const addressOf = (revision: string) => addressAt(full_path, sent.page, revision, sent.path)
      if (wanted !== '' && (await resolveCommit(repo, wanted))) return { redirect: addressOf(wanted), status: 302 }
      const order = { order_by: 'updated', sort: 'desc', search: wanted } as const
      const some = { limit: maxShown, offset: 0 }
      const [branches, tags] = [await pageOfRefs(repo, 'heads', order, some), await pageOfRefs(repo, 'tags', order, some)]
      const list = (title: string, refs: RefPage, revisionOf: (name: string) => string) =>
        refs.rows.length > 0 &&
        html`
          <h2>${title}</h2>
          <ul class="rows">
            ${refs.rows.map(({ name }) => html`<li><a href="${addressOf(revisionOf(name))}">${isolated(name)}</a></li>`)}
          </ul>
        `
      const isEmpty = branches.rows.length + tags.rows.length === 0
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: 'Switch revision',
          main: html`
            <h1>Switch revision</h1>
            <form class="filters" role="search" action="/${full_path}/refs/switch">
              <input type="hidden" name="page" value="${sent.page}">
              <input type="hidden" name="path" value="${sent.path}"><label for="ref">Branch, tag or commit</label>
              <input id="ref" name="ref" type="search" value="${wanted}"><button>Go</button>
            </form>
            ${isEmpty && emptyState(sentences.no_such_ref(wanted))}
            ${list('Branches', branches, branchRevision)}${list('Tags', tags, tagRevision)}
          `,
        },
      )
    },
  }),
]

/** Forks of a project, and forking it. */

import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { listCreatable } from '../../../features/namespaces/namespaces.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { forkProject } from '../../../features/transfer/forks/forks.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { authenticated, project, using } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { field, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated } from '../../frame/parts.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { listOf } from '../project-lists.ts'
import * as say from './sentences.ts'
import { withFormNames } from './visibility-field.ts'

const perPage = 20
const maxNamespaces = 500
/** Limit of forks that are searched for those in the user's own namespaces. */
const maxForks = 100

const text = Type.String({ default: '', maxLength: 8_000 })
const newestFirst = { order_by: 'created_at', sort: 'desc' } as const
/** Signed-in users who may read the code and fork it. */
const forking = authenticated(using('forking', project('code')))

export const forkPages = [
  page('GET /:project/forks', {
    access: project('visible'),
    query: { ...pageNumber, search: Type.String({ default: '', maxLength: 255 }) },
    async show({ app, user, project, level, sent: { page, search } }) {
      const query = { ...newestFirst, ...(search.trim() && { search }) }
      const { rows, total } = await pageOfProjects(app, user, query, pageFrom({ page, per_page: perPage }), { forked_from_id: project.id })
      const address = `/${project.full_path}/forks`
      const main = html`
        <h1>Forks</h1>
        <form class="filters" role="search" action="${address}">
          <label for="search">Find</label><input id="search" name="search" type="search" value="${search}">
          <button>Find</button>
        </form>
        ${total === 0 ? emptyState(say.noForks()) : listOf(rows)}
        ${pagesBelow(search ? `${address}?search=${encodeURIComponent(search)}` : address, { page, per_page: perPage, total })}
      `
      return projectView({ project, level, user, tab: 'project' }, { title: t`Forks`, main })
    },
  }),
  page('GET /:project/forks/new', { access: forking, show: (context) => forkView(context, untouched) }),
  action('POST /:project/forks', {
    access: forking,
    form: { namespace_id: text, name: text, path: text, continue_to: text },
    async act({ app, user, access, sent: { namespace_id, name, path, continue_to } }) {
      const wanted = { namespace: namespace_id || undefined, name: name.trim() || undefined, path: path.trim() || undefined }
      const fork = await forkProject(app, user, access, wanted)
      return { redirect: `/${fork.full_path}/import${continue_to === '' ? '' : `?${new URLSearchParams({ continue_to })}`}` }
    },
    again: forkView,
  }),
]

interface Forking extends Seen {
  app: App
  user: User
  token: Html
}

/** The choice of a namespace for the fork. Namespaces that have one already link to it. */
async function forkView({ app, user, project, level, token }: Forking, sent: Typed): Promise<View> {
  const typed = withFormNames(sent)
  const [namespaces, forks] = await Promise.all([
    listCreatable(app.db, user, maxNamespaces),
    pageOfProjects(app, user, newestFirst, { limit: maxForks, offset: 0 }, { forked_from_id: project.id }),
  ])
  const own = new Set(namespaces.map(({ id }) => id))
  const existing = forks.rows.filter(({ namespace }) => own.has(namespace.id))
  const taken = new Set([project.namespace_id, ...existing.map(({ namespace }) => namespace.id)])
  const open = namespaces.filter(({ id }) => !taken.has(id))
  const fields = html`
    ${select(
      t`Namespace`,
      'namespace_id',
      typed,
      open.map(({ id, full_path }) => [String(id), full_path]),
    )}
    ${field(t`Name`, 'name', typed, { value: project.name, required: true })}${field(t`Path`, 'path', typed, {
      value: project.path,
      required: true,
    })}
  `
  const main = html`
    <div class="form-page">
      <h1>Fork ${isolated(project.name)}</h1>
      <p>${say.forkMeaning()}</p>
      ${problemsOf(typed.errors, ['namespace_id', 'name', 'path'])}
      ${existing.length > 0 && html`<h2>Your forks</h2><ul class="rows">${existing.map(ownFork)}</ul>`}
      ${open.length === 0 ? emptyState(say.noNamespace()) : form({ action: `/${project.full_path}/forks`, token, submit: t`Fork` }, fields)}
    </div>
  `
  return projectView({ project, level, user, tab: 'project' }, { title: t`Fork`, main })
}

function ownFork({ path_with_namespace }: { path_with_namespace: string }): Html {
  return html`<li><div class="what">${icon('fork')} <a href="/${path_with_namespace}">${isolated(path_with_namespace)}</a></div></li>`
}

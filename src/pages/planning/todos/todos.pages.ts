/** The user's to-do items: the list, marking them as done, and undoing that. */

import { type Static, type TObject, Type } from 'typebox'
import { findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { TodoAction, User } from '../../../db/tables.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import {
  completeAllTodos,
  completeTodo,
  countTodos,
  listTodos,
  presentTodos,
  restoreTodo,
  type TodoFilter,
} from '../../../features/discussion/todos/todos.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { Id, oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import { action, page, type View, type Visit } from '../../frame/declaration.ts'
import { hidden, optionsOf, postButton } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { avatar, emptyState, isolated, navigation } from '../../frame/parts.ts'
import { actions, sentences } from './sentences.ts'

const perPage = 20
/** Limit of items to restore at once: their ids are in the URL. */
const maxUndone = 200
const address = '/dashboard/todos'
const maxExcerpt_chars = 200

const filters = {
  project: Type.String({ default: '', maxLength: 1_000 }),
  action: oneOfDefault<TodoAction | ''>('', ...(Object.keys(actions) as TodoAction[])),
}
const query = {
  ...pageNumber,
  ...filters,
  state: oneOfDefault('pending', 'done'),
  /** Ids of items that were just marked as done. */
  done: Type.Array(Id, { default: [], maxItems: maxUndone }),
}
type Query = Static<TObject<typeof query>>
const back = Type.String({ default: '', maxLength: 8_000 })

export const todosPages = [
  page('GET /dashboard/todos', { access: signedIn(), query, show: ({ sent, ...visit }) => todosView(visit, sent) }),
  action('POST /dashboard/todos/:todo_id/done', {
    access: signedIn(),
    form: { back },
    async act({ app, user, params, sent }) {
      const { id } = await completeTodo(app, user, idOfTodo(params.todo_id))
      return { redirect: undoable(sent.back, [id]), notice: sentences.done(1) }
    },
  }),
  action('POST /dashboard/todos/done', {
    access: signedIn(),
    form: { back, ...filters },
    async act({ app, user, sent }) {
      const filter = await filterOf(app, user, sent)
      const ids = filter ? await completeAllTodos(app, user, filter) : []
      return { redirect: undoable(sent.back, ids), notice: ids.length === 0 ? sentences.nothing : sentences.done(ids.length) }
    },
  }),
  action('POST /dashboard/todos/restore', {
    access: signedIn(),
    form: { back, ids: Type.Array(Id, { default: [], maxItems: maxUndone }) },
    async act({ app, user, sent }) {
      for (const id of sent.ids) await restoreTodo(app, user, id).catch(nullIfMissing)
      return { redirect: ownAddress(sent.back) ?? address, notice: sentences.restored(sent.ids.length) }
    },
  }),
]

function idOfTodo(text: string): number {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id < 1) throw invalid(t`id is invalid`)
  return id
}

/** The previous URL of the list, with an offer to undo. */
function undoable(sent: string, ids: number[]): string {
  const at = new URL(ownAddress(sent) ?? address, 'http://list')
  at.searchParams.delete('done[]')
  for (const id of ids.slice(0, maxUndone)) at.searchParams.append('done[]', String(id))
  return `${at.pathname}${at.search}`
}

/** Null if nothing can match. */
async function filterOf(
  app: App,
  user: User,
  { project, action }: Pick<Query, 'project' | 'action'>,
): Promise<Omit<TodoFilter, 'state'> | null> {
  const kind = action === '' ? {} : { action }
  if (project.trim() === '') return kind
  const found = await findProject(app.db, project.trim(), user).catch(nullIfMissing)
  return found && { ...kind, project_id: found.project.id }
}

async function todosView({ app, user, token, ...visit }: Visit & { user: User }, sent: Query): Promise<View> {
  const { state, page, done } = sent
  const filter = await filterOf(app, user, sent)
  const { rows, total } = filter
    ? await listTodos(app.db, user, { ...filter, state }, pageFrom({ page, per_page: perPage }))
    : { rows: [], total: 0 }
  const todos = await presentTodos(app, user, rows)
  const count = async (one: Query['state']) => (filter ? countTodos(app.db, user, { ...filter, state: one }) : 0)
  const [pending, finished] = await Promise.all([count('pending'), count('done')])
  const here = addressOf(sent)
  const link = (one: Query['state'], label: string, of: number) => ({
    label: `${label} ${number(of)}`,
    href: addressOf({ ...sent, state: one }),
    isCurrent: one === state,
  })
  const isNarrowed = sent.project !== '' || sent.action !== ''
  const none = isNarrowed ? sentences.noneFound : state === 'pending' ? sentences.none : sentences.noneDone
  return {
    title: t`To-do items`,
    above: dashboardTabs('todos'),
    main: html`
      <div class="heading">
        <h1>To-do items</h1>
        ${
          state === 'pending' &&
          total > 0 &&
          postButton(t`Mark all as done`, {
            action: `${address}/done`,
            token,
            fields: { back: visit.address, project: sent.project, action: sent.action },
          })
        }
      </div>
      ${done.length > 0 && undoForm(done, here, token)}
      <form class="filters" role="search" action="${address}">
        <label for="project">Project</label>
        <input id="project" name="project" value="${sent.project}" placeholder="group/project">
        <select name="action" aria-label="Reason">${optionsOf([['', t`Any reason`], ...reasons()], sent.action)}</select>
        ${state === 'done' && hidden({ state })}<button>Find</button>
      </form>
      ${navigation(t`State`, [link('pending', t`To do`, pending), link('done', t`Done`, finished)], 'tabs second')}
      ${todos.length === 0 ? emptyState(none) : html`<ul class="rows people">${todos.map((todo) => row(app, todo, { here, token }))}</ul>`}
      ${pagesBelow(here, { page, per_page: perPage, total })}
    `,
  }
}

const reasons = (): Array<readonly [TodoAction, string]> => [
  ['assigned', t`Assigned`],
  ['mentioned', t`Mentioned`],
  ['directly_addressed', t`Spoken to`],
  ['marked', t`Added by you`],
]

function addressOf({ project, action, state }: Query): string {
  const query = new URLSearchParams({
    ...(project !== '' && { project }),
    ...(action !== '' && { action }),
    ...(state !== 'pending' && { state }),
  })
  return query.size > 0 ? `${address}?${query}` : address
}

function undoForm(ids: number[], here: string, token: Html): Html {
  const restored = ids.map((id) => hidden({ 'ids[]': String(id) }))
  const fields = [token, hidden({ back: here }), restored]
  return html`<form class="inline" method="post" action="${address}/restore">${fields}<button>Undo</button></form>`
}

function referenceOf({ target_type, target }: ShownTodo): string {
  if (!('iid' in target)) return `@${target.short_id}`
  return `${target_type === 'Issue' ? '#' : '!'}${target.iid}`
}

type ShownTodo = Awaited<ReturnType<typeof presentTodos>>[number]

function row({ config }: App, todo: ShownTodo, { here, token }: { here: string; token: Html }): Html {
  const { id, author, action_name, target, target_url, body, project, state, created_at } = todo
  const excerpt = body === target.title ? null : body.slice(0, maxExcerpt_chars)
  const act = state === 'pending' ? t`Done` : t`Put back`
  const label = html`${act}<span class="unseen">: ${target.title}</span>`
  const button =
    state === 'pending'
      ? postButton(label, { action: `${address}/${id}/done`, token, fields: { back: here } })
      : postButton(label, { action: `${address}/restore`, token, fields: { back: here, 'ids[]': String(id) } })
  return html`
    <li>
      ${avatar(author.avatar_url, 32)}
      <div class="what">
        ${isolated(author.name)} ${actions[action_name]}
        <a href="${target_url.slice(config.url.length)}">${isolated(target.title)}</a>
        <p>
          ${project.path_with_namespace}${referenceOf(todo)} ·
          ${ago(created_at)}${excerpt !== null && html` · <bdi>${excerpt}</bdi>`}
        </p>
      </div>
      ${button}
    </li>
  `
}

/** All groups and projects of the instance, for administrators. */

import { Type } from 'typebox'
import { findGroup, findProject, type LocatedGroup, type LocatedProject } from '../../../access/find.ts'
import { spacesAt } from '../../../access/spaces.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { findNamespace } from '../../../features/namespaces/namespaces.ts'
import { startHousekeeping } from '../../../features/repository/housekeeping/housekeeping.ts'
import { listGroups } from '../../../features/spaces/groups/groups.ts'
import { pageOfProjects, transferProject } from '../../../features/spaces/projects/projects.ts'
import { deleteGroup, deleteProject } from '../../../features/spaces/scheduled-deletions/scheduled-deletions.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { type Choice, dangerous, field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { visibilityTag } from '../../frame/levels.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type AdminVisit, addressWith, administration, adminView, filtersOf } from './admin-view.ts'
import { sentences } from './sentences.ts'

const perPage = 20
const text = Type.String({ default: '' })

const anyGroup = nested({ group_id: Id }, async ({ user }: { user: User }, { group_id }, app) => findGroup(app.db, String(group_id), user))
const anyProject = nested({ project_id: Id }, async ({ user }: { user: User }, { project_id }, app) =>
  findProject(app.db, String(project_id), user),
)

export const spacePages = [
  page('GET /admin/groups', {
    access: administration(),
    query: { ...pageNumber, search: text },
    show: ({ app, user, sent }) => groupsView(app, user, sent),
  }),
  page('GET /admin/groups/:group_id', { access: within(administration(), anyGroup), show: (visit) => groupView(visit, untouched) }),
  action('POST /admin/groups/:group_id/delete', {
    access: within(administration(), anyGroup),
    form: { confirm: text },
    async act({ app, group, sent }) {
      if (sent.confirm.trim() !== group.full_path) throw invalid({ confirm: [sentences.wrongPath] })
      const { full_path, marked_for_deletion_at } = group
      const { due_at } = await deleteGroup(app, group, { permanently_remove: marked_for_deletion_at !== null, full_path })
      return { redirect: '/admin/groups', notice: due_at === null ? sentences.groupRemoved : sentences.removedOn(due_at.slice(0, 10)) }
    },
    again: groupView,
  }),
  page('GET /admin/projects', {
    access: administration(),
    query: { ...pageNumber, search: text, visibility: text, archived: text, sort: text },
    show: ({ app, user, sent }) => projectsView(app, user, sent),
  }),
  page('GET /admin/projects/:project_id', { access: within(administration(), anyProject), show: (visit) => projectView(visit, untouched) }),
  action('POST /admin/projects/:project_id/transfer', {
    access: within(administration(), anyProject),
    form: { namespace: text },
    async act({ app, user, project, sent: { namespace } }) {
      const moved = await transferProject(app, project, await placeAt(app, namespace.trim()), user)
      return { redirect: `/admin/projects/${moved.id}`, notice: sentences.projectTransferred }
    },
    again: projectView,
  }),
  action('POST /admin/projects/:project_id/housekeeping', {
    access: within(administration(), anyProject),
    async act({ app, project }) {
      await startHousekeeping(app, project.id)
      return { redirect: `/admin/projects/${project.id}`, notice: sentences.housekeepingStarted }
    },
    again: projectView,
  }),
  action('POST /admin/projects/:project_id/delete', {
    access: within(administration(), anyProject),
    form: { confirm: text },
    async act({ app, project, sent }) {
      if (sent.confirm.trim() !== project.full_path) throw invalid({ confirm: [sentences.wrongPath] })
      const { full_path, marked_for_deletion_at } = project
      const { due_at } = await deleteProject(app, project, { permanently_remove: marked_for_deletion_at !== null, full_path })
      return { redirect: '/admin/projects', notice: due_at === null ? sentences.projectRemoved : sentences.removedOn(due_at.slice(0, 10)) }
    },
    again: projectView,
  }),
]

/** The namespace with the path of a group or the username of a user. Throws 400 if there is none. */
async function placeAt(app: App, path: string) {
  const space = (await spacesAt(app.db, [path])).get(path.toLowerCase())
  const place =
    space && space.kind !== 'project'
      ? await findNamespace(app.db, space.kind === 'user' ? { owner_id: space.id } : { id: space.id })
      : null
  if (!place) throw invalid({ namespace: [t`is neither a group nor a user`] })
  return place
}

async function groupsView(app: App, user: User, sent: { page: number; search: string }): Promise<View> {
  const { rows, total } = await listGroups(
    app.db,
    user,
    { all_available: true, search: sent.search, order_by: 'name', sort: 'asc' },
    pageFrom({ page: sent.page, per_page: perPage }),
  )
  return adminView('groups', {
    title: t`Groups`,
    main: html`
      <div class="heading">
        <h1>Groups</h1>
        <a class="button primary" href="/groups/new">New group</a>
      </div>
      ${filtersOf({ address: '/admin/groups', search: sent.search })}
      ${total === 0 ? emptyState(sentences.noGroups) : html`<ul class="rows">${rows.map(groupRow)}</ul>`}
      ${pagesBelow(addressWith('/admin/groups', { search: sent.search }), { page: sent.page, per_page: perPage, total })}
    `,
  })
}

function groupRow({ id, name, full_path, visibility, created_at }: LocatedGroup): Html {
  return html`
    <li>
      <div class="what">
        <a href="/admin/groups/${id}">${isolated(name)}</a>
        <p>${full_path}</p>
      </div>
      <div class="facts">${visibilityTag(visibility)}<span>since ${ago(created_at)}</span></div>
    </li>
  `
}

function groupView({ token, group }: AdminVisit & { group: LocatedGroup }, typed: Typed): View {
  const { id, name, full_path, visibility, description, created_at } = group
  return adminView('groups', {
    title: full_path,
    main: html`
      <h1>${isolated(name)} ${visibilityTag(visibility)}</h1>
      ${problemsOf(typed.errors, ['confirm'])}
      ${description && html`<p>${description}</p>`}
      <dl class="facts">
        <dt>Path</dt><dd>${full_path}</dd>
        <dt>Since</dt><dd>${ago(created_at)}</dd>
        <dt>Id</dt><dd>${id}</dd>
      </dl>
      <p>
        <a href="/${full_path}">Group</a> · <a href="/groups/${full_path}/-/group_members">Members</a> ·
        <a href="/groups/${full_path}/-/edit">Settings</a>
      </p>
      ${dangerous(
        t`Delete`,
        removalOf(`/admin/groups/${id}/delete`, { token, path: full_path, sentence: sentences.groupRemoval, what: 'group' }, typed),
        'confirm' in typed.values,
      )}
    `,
  })
}

interface Removal {
  token: Html
  path: string
  sentence: string
  what: 'group' | 'project'
}

function removalOf(address: string, { token, path, sentence, what }: Removal, typed: Typed): Html {
  return html`<p>${sentence}</p>${form(
    { action: address, token, submit: t`Delete ${what}`, kind: 'danger' },
    html`<p>Type <b>${isolated(path)}</b> to confirm.</p>${field(t`Path`, 'confirm', typed, { required: true, autocomplete: 'off' })}`,
  )}`
}

const visibilities = (): Choice[] => [
  ['', t`Any visibility`],
  ['private', t`Private`],
  ['internal', t`Internal`],
  ['public', t`Public`],
]
const archives = (): Choice[] => [
  ['', t`Archived or not`],
  ['true', t`Archived`],
  ['false', t`Not archived`],
]
const orders = (): Choice[] => [
  ['last_activity_at', t`Last activity`],
  ['name', t`Name`],
  ['created_at', t`Newest`],
]

type SentFilters = { page: number; search: string; visibility: string; archived: string; sort: string }

async function projectsView(app: App, user: User, sent: SentFilters): Promise<View> {
  const visibility = (['private', 'internal', 'public'] as const).find((level) => level === sent.visibility)
  const order_by = (['last_activity_at', 'name', 'created_at'] as const).find((column) => column === sent.sort) ?? 'last_activity_at'
  const archived = sent.archived === 'true' || (sent.archived === 'false' ? false : undefined)
  const { rows, total } = await pageOfProjects(
    app,
    user,
    { search: sent.search, visibility, archived, order_by, sort: order_by === 'name' ? 'asc' : 'desc' },
    pageFrom({ page: sent.page, per_page: perPage }),
  )
  const { search, sort } = sent
  return adminView('projects', {
    title: t`Projects`,
    main: html`
      <div class="heading">
        <h1>Projects</h1>
        <a class="button primary" href="/projects/new">New project</a>
      </div>
      ${filtersOf({
        address: '/admin/projects',
        search,
        lists: {
          visibility: [t`Visibility`, visibilities(), visibility ?? ''],
          archived: [t`Archived`, archives(), sent.archived],
          sort: [t`Order`, orders(), order_by],
        },
      })}
      ${
        total === 0
          ? emptyState(sentences.noProjects)
          : html`
            <ul class="rows">
              ${rows.map(
                (project) => html`
                  <li>
                    <div class="what">
                      <a href="/admin/projects/${project.id}">${isolated(project.name_with_namespace)}</a>
                      <p>${project.path_with_namespace}</p>
                    </div>
                    <div class="facts">
                      ${'visibility' in project && visibilityTag(project.visibility as string)}
                      ${'archived' in project && project.archived === true && html`<span class="tag">archived</span>`}
                      ${project.last_activity_at !== null && html`<span>active ${ago(project.last_activity_at)}</span>`}
                    </div>
                  </li>
                `,
              )}
            </ul>
          `
      }
      ${pagesBelow(addressWith('/admin/projects', { search, visibility, archived: sent.archived, sort }), {
        page: sent.page,
        per_page: perPage,
        total,
      })}
    `,
  })
}

function projectView({ token, project }: AdminVisit & { project: LocatedProject }, typed: Typed): View {
  const { id, name, full_path, visibility, archived, description, repository_size, lfs_objects_size } = project
  const address = `/admin/projects/${id}`
  return adminView('projects', {
    title: full_path,
    main: html`
      <h1>${isolated(name)} ${visibilityTag(visibility)} ${archived && html`<span class="tag">archived</span>`}</h1>
      ${problemsOf(typed.errors, ['confirm', 'namespace'])}
      ${description && html`<p>${description}</p>`}
      <dl class="facts">
        <dt>Path</dt><dd>${full_path}</dd>
        <dt>Since</dt><dd>${ago(project.created_at)}</dd>
        <dt>Repository</dt><dd>${size(repository_size)}</dd>
        <dt>Large files</dt><dd>${size(lfs_objects_size)}</dd>
        <dt>Storage</dt><dd>default</dd>
        <dt>Id</dt><dd>${id}</dd>
      </dl>
      <p>
        <a href="/${full_path}">Project</a> · <a href="/${full_path}/project_members">Members</a> ·
        <a href="/${full_path}/edit">Settings</a>
      </p>
      <h2>Housekeeping</h2>
      <p>${sentences.housekeeping}</p>
      <div>${postButton(t`Start housekeeping`, { action: `${address}/housekeeping`, token })}</div>
      <h2>Transfer</h2>
      ${form(
        { action: `${address}/transfer`, token, submit: t`Transfer project`, kind: 'plain' },
        field(t`Path of a group, or a username`, 'namespace', typed, { required: true, autocomplete: 'off', hint: sentences.transfer }),
      )}
      ${dangerous(
        t`Delete`,
        removalOf(`${address}/delete`, { token, path: full_path, sentence: sentences.projectRemoval, what: 'project' }, typed),
        'confirm' in typed.values,
      )}
    `,
  })
}

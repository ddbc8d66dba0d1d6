/** Completions for text fields of a project: issues, merge requests, snippets, labels, milestones, users, quick actions. */
import { Type } from 'typebox'
import { mayUse } from '../../../access/features.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { may } from '../../../access/permissions.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { wordsOf } from '../../../db/search.ts'
import type { User } from '../../../db/tables.ts'
import { quickActionNames } from '../../../features/commands/quick-actions/quick-actions.ts'
import { listIssues } from '../../../features/planning/issues/issues.ts'
import { listLabels } from '../../../features/planning/labels/labels.ts'
import { listMilestones } from '../../../features/planning/milestones/milestones.ts'
import { listMergeRequests } from '../../../features/review/merge-requests/merge-requests.ts'
import { listSnippets } from '../../../features/snippets/snippets.ts'
import { listUsersOf } from '../../../features/spaces/projects/projects.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { page } from '../../frame/declaration.ts'

/** `value` is inserted into texts, `name` into fields of names. */
interface Offered {
  name: string
  value: string
  label: string
  color?: string
}

type Asked = { app: App; user: User } & Pick<ProjectGranted, 'project' | 'level'>

const first = (limit: number) => ({ limit, offset: 0 })

const sources: Record<string, (asked: Asked, search: string) => Promise<Offered[]> | Offered[]> = {
  async '@'({ app, user, project, level }, search) {
    // Users who manage the project can see the groups it is shared with.
    const viewer = may('share_project', level) ? everything : user
    const { rows } = await listUsersOf(app.db, viewer, project, { words: search, actor: user }, first(8))
    return rows.map(({ username, name }) => ({ name: username, value: `@${username}`, label: `${name} @${username}` }))
  },
  async '#'({ app, user, project }, search) {
    const wanted = /^\d{1,9}$/.test(search) ? { iids: [Number(search)] } : { search, state: 'opened' as const }
    const { rows } = await listIssues(
      app.db,
      user,
      { project_id: project.id },
      { ...wanted, order_by: 'updated_at', sort: 'desc' },
      first(8),
    )
    return rows.map(({ iid, title }) => ({ name: String(iid), value: `#${iid}`, label: `#${iid} ${title}` }))
  },
  async '~'({ app, project }, search) {
    const place = { project_id: project.id, below: project.namespace_id }
    const { rows } = await listLabels(app.db, place, 'inherited', search, first(20))
    return rows.map(({ title, color }) => ({ name: title, value: `~${quoted(title)}`, label: title, color }))
  },
  async '%'({ app, project }, search) {
    const place = { project_id: project.id, below: project.namespace_id }
    const { rows } = await listMilestones(app.db, place, { state: 'active', inherited: true, search }, first(20))
    return rows.map(({ title }) => ({ name: title, value: `%${quoted(title)}`, label: title }))
  },
  async '!'({ app, user, project }, search) {
    const wanted = /^\d{1,9}$/.test(search) ? { iids: [Number(search)] } : { search, state: 'opened' as const }
    const newest = { ...wanted, order_by: 'updated_at', sort: 'desc' } as const
    const { rows } = await listMergeRequests(app.db, user, { project_id: project.id }, newest, first(8))
    return rows.map(({ iid, title }) => ({ name: String(iid), value: `!${iid}`, label: `!${iid} ${title}` }))
  },
  async $({ app, user, project }, search) {
    const wanted = /^\d{1,15}$/.test(search) ? { ids: [Number(search)] } : { search: { words: wordsOf(search), by: 'names' as const } }
    const { rows } = await listSnippets(app.db, user, { project_id: project.id, ...wanted }, first(8))
    return rows.map(({ id, title }) => ({ name: String(id), value: `$${id}`, label: `$${id} ${title}` }))
  },
  '/'(_, search) {
    const found = quickActionNames.filter(({ name, aliases }) => [name, ...aliases].some((word) => word.startsWith(search.toLowerCase())))
    return found.slice(0, 12).map(({ name, argument, description }) => ({
      name,
      value: `/${name}`,
      label: `/${name}${argument === '' ? '' : ` ${argument}`} – ${description}`,
    }))
  },
}

/** Labels, milestones and quick actions exist for issues and merge requests. */
function mayName(key: string, { user, project, level }: Omit<Asked, 'app'>): boolean {
  if (key === '@') return true
  if (key === '$') return mayUse('snippets', { project, level })
  const [hasIssues, hasMergeRequests] = [mayUse('issues', { project, level }), canSeeMergeRequests({ project, level }, user)]
  if (key === '#') return hasIssues
  return key === '!' ? hasMergeRequests : hasIssues || hasMergeRequests
}

/** A name in the syntax of references: quoted if it has several words, or could be a number. */
function quoted(title: string): string {
  return /^[a-z_][\w-]*$/i.test(title) ? title : `"${title}"`
}

export const completionPages = [
  page('GET /:project/-/completions', {
    access: project('signed-in'),
    query: { key: oneOf('@', '#', '~', '%', '!', '$', '/'), search: Type.String({ default: '', maxLength: 200 }) },
    async show({ app, user, project, level, sent: { key, search } }) {
      const offers = mayName(key, { user, project, level })
      const found = (offers && (await sources[key]?.({ app, user, project, level }, search.trim()))) || []
      const bytes = Buffer.from(JSON.stringify(found))
      return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
    },
  }),
]

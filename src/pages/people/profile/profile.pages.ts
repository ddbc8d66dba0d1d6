/** The page of a user: profile, activity, projects and groups; and their public keys as text. */
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { listEvents } from '../../../features/discussion/activity/activity.ts'
import { contributionsOf } from '../../../features/people/contributions/contributions.ts'
import { follow, listFollows, unfollow } from '../../../features/people/follows/follows.ts'
import { gpgKeysOfUser } from '../../../features/people/gpg-keys/gpg-keys.ts'
import { keysOfUser, lineOf } from '../../../features/people/keys/keys.ts'
import { listGroups } from '../../../features/spaces/groups/groups.ts'
import { pinnedProjects } from '../../../features/spaces/pinned-projects/pinned-projects.ts'
import { type OwnerTie, pageOfOwner } from '../../../features/spaces/projects/projects.ts'
import { userAvatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { eventList, eventQuery, eventRows, eventsPerPage } from '../../activity/event-list.ts'
import { action, page, type View, type Visit } from '../../frame/declaration.ts'
import { visibilityTag } from '../../frame/levels.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { avatar, emptyState, isolated } from '../../frame/parts.ts'
import { whoSees } from '../../frame/who-sees.ts'
import { type ListedProject, listOf } from '../../spaces/project-lists.ts'
import { sentences } from '../settings/sentences.ts'
import { calendarOf } from './calendar.ts'
import { ownReadme } from './own-readme.ts'
import { type ProfileTab, profileView } from './profile-view.ts'

const perPage = 20
/** Number of events on the overview. */
const latest = 5
const noEvents = { rows: [], hasMore: false }

const owner = within(whoSees, userById)
const query = pageNumber

type ProfileVisit = Visit & { user: User | null; owner: User }

export const profilePages = [
  page('GET /:user', { access: owner, query, show: ({ sent, ...visit }) => overview(visit, sent.page) }),
  page('GET /users/:user/activity', {
    access: owner,
    query: eventQuery,
    async show({ sent: { page: number, event_filter: filter }, ...visit }) {
      const { app, user, owner } = visit
      const offset = (number - 1) * eventsPerPage
      const found = isHiddenFrom(owner, user)
        ? noEvents
        : await listEvents(app, user, { author_id: owner.id }, { limit: eventsPerPage, offset }, filter)
      const address = `/users/${owner.username}/activity`
      return profileView({ ...visit, tab: 'activity' }, eventList(app, { ...found, page: number, filter, address, withProjects: true }))
    },
  }),
  page('GET /users/:user/projects', { access: owner, query, show: ({ sent, ...visit }) => projectsView(visit, 'own', sent.page) }),
  page('GET /users/:user/contributed', {
    access: owner,
    query,
    show: ({ sent, ...visit }) => projectsView(visit, 'contributed', sent.page),
  }),
  page('GET /users/:user/starred', { access: owner, query, show: ({ sent, ...visit }) => projectsView(visit, 'starred', sent.page) }),
  page('GET /users/:user/followers', { access: owner, query, show: ({ sent, ...visit }) => followsView(visit, 'followers', sent.page) }),
  page('GET /users/:user/following', { access: owner, query, show: ({ sent, ...visit }) => followsView(visit, 'following', sent.page) }),
  action('POST /users/:user/follow', {
    access: within(signedIn(), userById),
    async act({ app, user, owner }) {
      await follow(app, user, owner).catch(ignoreIfSo)
      return { redirect: `/${owner.username}` }
    },
  }),
  action('POST /users/:user/unfollow', {
    access: within(signedIn(), userById),
    async act({ app, user, owner }) {
      await unfollow(app, user, owner).catch(ignoreIfSo)
      return { redirect: `/${owner.username}` }
    },
  }),
  page('GET /users/:user/groups', { access: owner, query, show: ({ sent, ...visit }) => groupsView(visit, sent.page) }),
  page('GET /:user.keys', { access: owner, show: async ({ app, owner }) => textOf(await sshKeysOf(app, owner)) }),
  page('GET /:user.gpg', { access: owner, show: async ({ app, owner }) => textOf(await gpgKeysAsText(app, owner)) }),
]

/** Limit of keys; nobody adds more by hand. */
const allOf = { limit: 1_000, offset: 0 }

async function sshKeysOf({ db }: App, { id }: User): Promise<string> {
  const { rows } = await keysOfUser(db, id, allOf)
  // Without the comments, which may name machines.
  return rows.map((key) => `${lineOf({ ...key, comment: '' })}\n`).join('')
}

async function gpgKeysAsText({ db }: App, { id }: User): Promise<string> {
  const { rows } = await gpgKeysOfUser(db, id, allOf)
  return rows.map(({ key }) => `${key}\n`).join('')
}

function textOf(text: string) {
  const bytes = Buffer.from(text)
  const describe = () => ({ type: 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  return {
    bytes: {
      size: bytes.length,
      describe,
      open: (part?: { start: number; end: number }) => (part ? bytes.subarray(part.start, part.end + 1) : bytes),
    },
  }
}

async function overview(visit: ProfileVisit, number: number): Promise<View> {
  const { app, ip, user, owner } = visit
  const contributions = await contributionsOf(app.db, owner, user)
  const events = isHiddenFrom(owner, user) ? noEvents : await listEvents(app, user, { author_id: owner.id }, { limit: latest, offset: 0 })
  const projects = await projectList({ app, user, owner }, 'own', number, `/${owner.username}`)
  return profileView(
    { ...visit, tab: 'overview' },
    html`
      ${number === 1 && (await ownReadme(app, owner, { user, ip }))}
      ${number === 1 && pinsView(await pinnedProjects(app, owner, user), user?.id === owner.id)}
      ${contributions && calendarOf(contributions, user?.week_starts_on ?? 0)}
      ${events.rows.length > 0 && html`<h2>Latest activity</h2>${eventRows(app, events.rows, true)}`}
      <h2>Personal projects</h2>
      ${projects}
    `,
  )
}

/** Visitors see nothing without pins; users themselves see the heading with the link to choose some. */
function pinsView(pinned: readonly ListedProject[], isOwn: boolean): Html | null {
  if (pinned.length === 0 && !isOwn) return null
  return html`
    <div class="heading">
      <h2>Pinned projects</h2>
      <a href="/profile/pinned_projects">${pinned.length === 0 ? t`Pin projects` : t`Change`}</a>
    </div>
    ${pinned.length > 0 && listOf(pinned)}
  `
}

type Tab = Exclude<OwnerTie, 'pinned'>

const tabOf: Record<Tab, ProfileTab> = { own: 'projects', contributed: 'contributed', starred: 'starred' }
const emptyOf: Record<Tab, () => string> = {
  own: () => sentences.noProjects,
  contributed: () => sentences.noContributions,
  starred: () => sentences.noStars,
}

async function projectsView(visit: ProfileVisit, tie: Tab, number: number): Promise<View> {
  const list = await projectList(visit, tie, number, `/users/${visit.owner.username}/${tabOf[tie]}`)
  return profileView({ ...visit, tab: tabOf[tie] }, list)
}

type Listing = Pick<ProfileVisit, 'app' | 'user' | 'owner'>

async function projectList({ app, user, owner }: Listing, tie: Tab, number: number, address: string): Promise<Html> {
  const order = { order_by: 'last_activity_at', sort: 'desc' } as const
  const { rows, total } = await pageOfOwner(app, owner, user, order, pageFrom({ page: number, per_page: perPage }), tie)
  return html`${total === 0 ? emptyState(emptyOf[tie]()) : listOf(rows)}${pagesBelow(address, { page: number, per_page: perPage, total })}`
}

async function followsView(visit: ProfileVisit, part: 'followers' | 'following', number: number): Promise<View> {
  const { app, user, owner } = visit
  const { rows, total } = isHiddenFrom(owner, user)
    ? { rows: [], total: 0 }
    : await listFollows(app.db, owner.id, part, pageFrom({ page: number, per_page: perPage }))
  const list = html`
    <ul class="rows">
      ${rows.map(
        (one) => html`
          <li>
            ${avatar(userAvatarUrl(app.config, one))}
            <div class="what">
              <a href="/${one.username}">${isolated(one.name)}</a>
              <p>@${one.username}</p>
            </div>
          </li>
        `,
      )}
    </ul>
  `
  return profileView(
    { ...visit, tab: part },
    html`
      ${total === 0 ? emptyState(sentences[part === 'followers' ? 'noFollowers' : 'followsNobody']) : list}
      ${pagesBelow(`/users/${owner.username}/${part}`, { page: number, per_page: perPage, total })}
    `,
  )
}

/** A form that was sent twice has done what it says. */
function ignoreIfSo(error: unknown): void {
  if (!(error instanceof Failure && error.code === 'not_modified')) throw error
}

async function groupsView(visit: ProfileVisit, number: number): Promise<View> {
  const { app, user, owner } = visit
  const { rows, total } = isHiddenFrom(owner, user)
    ? { rows: [], total: 0 }
    : await listGroups(
        app.db,
        user,
        { all_available: true, member_id: owner.id, order_by: 'name', sort: 'asc' },
        pageFrom({ page: number, per_page: perPage }),
      )
  const list = html`
    <ul class="rows">
      ${rows.map(
        ({ full_path, name, visibility }) => html`
          <li>
            <div class="what">
              <a href="/${full_path}">${isolated(name)}</a>
              <p>${full_path}</p>
            </div>
            <div class="facts">${visibilityTag(visibility)}</div>
          </li>
        `,
      )}
    </ul>
  `
  return profileView(
    { ...visit, tab: 'groups' },
    html`
      ${total === 0 ? emptyState(sentences.noGroups) : list}
      ${pagesBelow(`/users/${owner.username}/groups`, { page: number, per_page: perPage, total })}
    `,
  )
}

function isHiddenFrom(owner: User, viewer: (Viewer & { id: number }) | null): boolean {
  return owner.private_profile && !viewer?.admin && viewer?.id !== owner.id
}

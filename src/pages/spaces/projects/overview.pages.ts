/** The page of a project: description, clone URLs, files and README; and its star. */

import { mayUse } from '../../../access/features.ts'
import { canDownload, findProject, type LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { httpCloneUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import { findRequester, mayRequestAccess } from '../../../features/spaces/access-requests/access-requests.ts'
import { findMember } from '../../../features/spaces/members/members.ts'
import { hasStarred, starProject, unstarProject } from '../../../features/spaces/projects/projects.ts'
import { avatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import { action, page } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { avatar, emptyState, icon, isolated } from '../../frame/parts.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { pushOffer } from '../../project/push-offer.ts'
import { refSwitchScript } from '../../repository/files/crumbs.ts'
import { aboutCode } from './about.ts'
import { type Root, rootOf } from './overview-files.ts'
import * as say from './sentences.ts'

type Shown = Seen & { app: App; token: Html }

export const overviewPages = [
  page('GET /:project', {
    access: project('visible'),
    async show({ app, access, ip, user, project, level, repo, token }) {
      const seen = { app, user, project, level, token }
      const mayRead = canDownload(access, user)
      const [standing, offer, root] = await Promise.all([
        standingOf(seen),
        pushOffer(app, seen),
        mayRead ? rootOf(app, access, { repo, reader: { project, level, user, ip } }) : null,
      ])
      const about = root && (await aboutCode(app, access, user, repo, root.rows))
      return projectView(
        { project, level, user, tab: 'project' },
        {
          title: '',
          main: inParts(
            html`
              <div class="overview">
                <div class="title">${titleOf(seen, standing)}</div>
                ${noticesOf(seen, standing)}${offer}
                <div class="code-side">${root ? root.content : emptyState(say.codeHidden())}</div>
                <aside class="about-side" aria-label="About this project">${topicsOf(project)}${about}</aside>
              </div>
            `,
            root?.late ?? null,
          ),
          scripts: [refSwitchScript],
          head: html`
            ${feedLink(t`Activity`, `/${project.full_path}.atom`, user)}<meta
              name="go-import"
              content="${new URL(app.config.url).host}/${project.full_path} git ${httpCloneUrl(app.config, project.full_path)}"
            >
          `,
        },
      )
    },
  }),
  action('POST /:project/star', {
    access: project('signed-in'),
    async act({ app, user, project }) {
      await starProject(app, project.id, user.id)
      return { redirect: `/${project.full_path}`, notice: say.starred(project.name) }
    },
  }),
  action('POST /:project/unstar', {
    access: project('signed-in'),
    async act({ app, user, project }) {
      await unstarProject(app, project.id, user.id)
      return { redirect: `/${project.full_path}`, notice: say.unstarred(project.name) }
    },
  }),
]

async function* inParts(page: Html, late: Root['late']): AsyncGenerator<Html> {
  yield page
  if (late) yield await late()
}

/** The viewer's relation to the project, and the source of the fork. */
interface Standing {
  hasStarred: boolean
  isDirectMember: boolean
  hasRequested: boolean
  source: LocatedProject | null
}

async function standingOf({ app, user, project }: Shown): Promise<Standing> {
  const place = { project_id: project.id }
  const source = project.forked_from_id
  const [isStarred, member, requester, found] = await Promise.all([
    user ? hasStarred(app.db, project.id, user.id) : false,
    user ? findMember(app.db, place, user.id) : null,
    user ? findRequester(app.db, place, user.id) : null,
    source === null ? null : findProject(app.db, String(source), user).catch(nullIfMissing),
  ])
  return { hasStarred: isStarred, isDirectMember: member !== null, hasRequested: requester !== null, source: found?.project ?? null }
}

function titleOf(seen: Shown, standing: Standing): Html {
  const { app, project } = seen
  return html`
    ${avatar(avatarUrl(app.config, 'project', project), 40)}
    <div class="what">
      <h1>${isolated(project.name)}</h1>
      ${project.description && html`<p>${isolated(project.description)}</p>`}
      ${
        standing.source &&
        html`
          <p class="hint">
            Forked from <a href="/${standing.source.full_path}">${isolated(standing.source.full_path)}</a>
          </p>
        `
      }
    </div>
    <div class="facts">${buttonsOf(seen, standing)}</div>
  `
}

function buttonsOf({ user, project, level, token }: Shown, { hasStarred: isStarred, isDirectMember, hasRequested }: Standing): Html {
  const at = `/${project.full_path}`
  const members = `${at}/project_members`
  const [verb, label] = isStarred ? ['unstar', t`Unstar`] : ['star', t`Star`]
  const star = user
    ? postButton(html`${icon('star')} ${label}`, { action: `${at}/${verb}`, token })
    : html`<span>${icon('star')} Stars</span>`
  const mayFork = user && mayUse('forking', { project, level }) && canDownload({ project, level }, user)
  const place = { kind: 'project', row: project, level } as const
  return html`
    ${star} <a href="${at}/stars">${count(project.star_count, 'star')}</a>
    ${mayFork && html`<a class="button" href="${at}/forks/new">${icon('fork')} Fork</a>`}
    <a href="${at}/forks">${count(project.forks_count, 'fork')}</a>
    ${
      user &&
      (hasRequested
        ? postButton(t`Withdraw request`, { action: `${members}/requests/${user.id}/deny`, token })
        : mayRequestAccess(place, user) &&
          user.kind === 'human' &&
          postButton(t`Request access`, { action: `${members}/request_access`, token }))
    }
    ${
      user &&
      isDirectMember &&
      project.namespace_owner_id !== user.id &&
      html`
        <details class="menu">
          <summary>Leave</summary>
          <ul>
            <li>
              ${postButton(t`Leave this project`, { action: `${members}/${user.id}/remove`, token, kind: 'danger' })}
            </li>
          </ul>
        </details>
      `
    }
  `
}

function noticesOf({ project, level }: Shown, { hasRequested }: Standing): Html {
  const { import_status, full_path } = project
  const link = html`<a href="/${full_path}/import">See how far it is</a>`
  const isManager = may('edit_project', level)
  return html`
    ${project.archived && html`<p class="notice quiet">${icon('lock')} ${whyLocked(project)}</p>`}
    ${/^(scheduled|started)$/.test(import_status) && html`<p class="notice quiet">${say.beingImported()} ${link}</p>`}
    ${import_status === 'failed' && html`<p class="problems">${say.importFailed()} ${isManager && link}</p>`}
    ${hasRequested && html`<p class="notice quiet">${say.requestPending()}</p>`}
  `
}

function topicsOf({ tag_list }: LocatedProject): Html | null {
  const topics = (JSON.parse(tag_list) as string[]).sort()
  if (topics.length === 0) return null
  return html`
    <p class="topics">
      ${topics.map((topic) => html`<a class="tag" href="/explore/projects?topic=${encodeURIComponent(topic)}">${isolated(topic)}</a> `)}
    </p>
  `
}

/** Restoring it is in its settings, where it was deleted. */
function whyLocked({ deletion_due_at, archived_by_group }: LocatedProject): string {
  if (deletion_due_at !== null) return say.deletedOn(deletion_due_at.slice(0, 10))
  return archived_by_group ? say.archivedWithGroup() : say.archived()
}

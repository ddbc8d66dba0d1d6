/** Rows of lists of projects and groups. */
import type { LocatedGroup } from '../../access/find.ts'
import type { App } from '../../app.ts'
import type { GroupCounts } from '../../features/spaces/groups/groups.ts'
import type { pageOfProjects } from '../../features/spaces/projects/projects.ts'
import { avatarUrl } from '../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../html/html.ts'
import { ago, count } from '../../html/phrases.ts'
import { visibilityTag } from '../frame/levels.ts'
import { avatar, icon, isolated } from '../frame/parts.ts'

export type ListedProject = Awaited<ReturnType<typeof pageOfProjects>>['rows'][number]

export function listOf(projects: readonly ListedProject[]): Html {
  return html`<ul class="rows">${projects.map((project) => projectRow(project))}</ul>`
}

/** With its full name, or only its own in a list of one group. */
export function projectRow(project: ListedProject, isWhole = true): Html {
  const { path_with_namespace: path, name_with_namespace, name, description, topics, avatar_url, forks_count } = project
  return html`
    <li>
      ${avatar(avatar_url) ?? icon('folder')}
      <div class="what">
        <a href="/${path}">${isolated(isWhole ? name_with_namespace : name)}</a>
        ${topics
          .slice(0, shownTopics)
          .map((topic) => html`<a class="tag" href="/explore/projects/topics/${encodeURIComponent(topic)}">${topic}</a> `)}
        ${description && html`<p>${isolated(description)}</p>`}
      </div>
      <div class="facts">
        ${project.archived === true && html`<span class="tag">archived</span>`}
        ${project.visibility !== undefined && visibilityTag(project.visibility)}
        <span>${count(project.star_count, 'star')}</span>
        ${forks_count > 0 && html`<span>${count(forks_count, 'fork')}</span>`}
        ${project.last_activity_at !== null && ago(project.last_activity_at)}
      </div>
    </li>
  `
}

const shownTopics = 5

/** A group as a row. */
export interface GroupRow {
  group: LocatedGroup
  counts: GroupCounts | undefined
  /** Only its own name. */
  isShort?: boolean
  /** Whether its content can be opened in place. */
  opens?: boolean
}

export function groupRow({ config }: Pick<App, 'config'>, { group, counts, isShort = false, opens = false }: GroupRow): Html {
  const { id, full_path, name, description, visibility, archived } = group
  const picture = avatar(avatarUrl(config, 'group', group)) ?? icon('group')
  const isOpenable = opens && counts !== undefined && counts.groups + counts.projects > 0
  return html`
    <li>
      ${
        isOpenable &&
        html`
          <open-children><a
              class="opener"
              href="/groups/${full_path}/-/children?parent_id=${id}"
              aria-label="Show what is in ${name}"
            >${icon('plus')}</a></open-children>
        `
      }${picture}
      <div class="what">
        <a href="/groups/${full_path}">${isolated(isShort ? name : full_path)}</a>
        ${description && html`<p>${isolated(description)}</p>`}
      </div>
      <div class="facts">
        ${archived && html`<span class="tag">archived</span>`}${visibilityTag(visibility)}
        ${counts !== undefined && html`<span>${count(counts.groups, 'subgroup')}</span><span>${count(counts.projects, 'project')}</span>`}
      </div>
    </li>
  `
}

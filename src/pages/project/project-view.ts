/** The frame of all pages of a project: its breadcrumbs and tabs. */
import type { LocatedProject } from '../../access/find.ts'
import type { View } from '../frame/declaration.ts'
import { type Html, html } from '../frame/html.ts'
import { visibilityOf } from '../frame/phrases.ts'
import { addressAt } from './address.ts'

export type ProjectTab = 'project' | 'files' | 'commits' | 'branches' | 'tags' | 'activity' | 'members' | 'settings'

/** A page of a project. The title begins with what distinguishes the page. */
export function projectView(
  { project, tab }: { project: LocatedProject; tab: ProjectTab | null },
  { title, main, ...rest }: Omit<View, 'above'>,
): View {
  const { full_path } = project
  return { ...rest, title: title === '' ? full_path : `${title} · ${full_path}`, main, above: headOf(project, tab) }
}

function headOf(project: LocatedProject, current: ProjectTab | null): Html {
  const { full_path, namespace_full_path, namespace_kind, name, default_branch, visibility, archived } = project
  const tabs: Array<[ProjectTab, string, string]> = [
    ['project', 'Project', `/${full_path}`],
    ...(default_branch === null
      ? []
      : ([
          ['files', 'Files', addressAt(full_path, 'tree', default_branch)],
          ['commits', 'Commits', addressAt(full_path, 'commits', default_branch)],
          ['branches', 'Branches', `/${full_path}/branches`],
          ['tags', 'Tags', `/${full_path}/tags`],
        ] as Array<[ProjectTab, string, string]>)),
  ]
  const above = namespace_kind === 'group' ? `/groups/${namespace_full_path}` : `/${namespace_full_path}`
  return html`<div class="above"><p class="where"><a href="${above}">${namespace_full_path}</a> / <a href="/${full_path}"><b>${name}</b></a>
${visibilityOf(visibility)}${archived && html`<span class="tag">archived</span>`}</p>
<nav class="tabs" aria-label="Project"><ul>${tabs.map(
    ([tab, label, address]) => html`<li><a href="${address}"${tab === current && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav></div>`
}

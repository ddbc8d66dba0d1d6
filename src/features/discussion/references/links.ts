/** Renders references as HTML links, with the attributes that clients of this API read. */
import { snippetAddress } from '../../../addresses/documents.ts'
import { pageUrl, webUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { groupAddress, projectAddress, userAddress } from '../../../addresses/places.ts'
import { issueAddress, issuesAddress, milestoneAddress } from '../../../addresses/planning.ts'
import type { Config } from '../../../config.ts'
import type { OpenReference } from '../../instance/markdown/markdown.ts'
import { projectReference } from '../notes/notes.ts'
import type { Home, Referenced } from './resolve.ts'
import type { NamedProject } from './targets.queries.ts'

/** A commit or a range of commits that exists in its repository. */
export interface FoundCommits {
  /** Full ids: one, or the two of a range. */
  oids: string[]
  title: string | null
}

interface Link {
  url: string
  text: string
  title: string | null
  /** Names without `data-`. */
  data: Record<string, string | number>
}

/** The HTML of a reference to something that the reader can see. */
export function linkTo(
  config: Config,
  home: Pick<Home, 'id' | 'full_path'>,
  open: OpenReference,
  target: Referenced,
  commits: FoundCommits | null,
): string {
  const link = describe(config, home, open, target, commits)
  if (!link) return open.html
  const kind = open.kind === 'user' ? 'project_member' : open.kind
  const data = Object.entries({ 'reference-type': open.kind, ...link.data }).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
  const title = link.title === null ? '' : ` title="${escapeHtml(link.title)}"`
  return `<a href="${escapeHtml(link.url)}"${data.join('')}${title} class="gfm gfm-${kind}">${open.words ?? escapeHtml(link.text)}</a>`
}

function describe(
  config: Config,
  home: Pick<Home, 'id' | 'full_path'>,
  open: OpenReference,
  target: Referenced,
  commits: FoundCommits | null,
): Link | null {
  switch (target.kind) {
    case 'user':
      return {
        url: pageUrl(config, userAddress(target.username)),
        text: `@${target.username}`,
        title: target.name,
        data: { user: target.id },
      }
    case 'group':
      return {
        url: pageUrl(config, groupAddress(target.full_path)),
        text: `@${target.full_path}`,
        title: target.name,
        data: { group: target.id },
      }
    case 'everybody':
      return { url: pageUrl(config, projectAddress(home)), text: '@all', title: 'All members', data: { project: home.id } }
    case 'issue': {
      const { issue, project } = target
      const note = open.anchor === '' ? '' : ` (comment ${open.anchor.slice('#note_'.length)})`
      return {
        url: pageUrl(config, issueAddress(project, issue.iid)) + open.anchor,
        text: `${projectReference(project.full_path, home.full_path)}#${issue.iid}${note}${issue.state === 'closed' ? ' (closed)' : ''}`,
        title: issue.title,
        data: { project: project.id, issue: issue.id, iid: issue.iid },
      }
    }
    case 'merge_request': {
      const { merge_request, project } = target
      const note = open.anchor.startsWith('#note_') ? ` (comment ${open.anchor.slice('#note_'.length)})` : ''
      const { state, iid } = merge_request
      return {
        url: pageUrl(config, mergeRequestAddress(project, iid)) + open.anchor,
        text: `${projectReference(project.full_path, home.full_path)}!${iid}${note}${state === 'opened' ? '' : ` (${state})`}`,
        title: merge_request.title,
        data: { project: project.id, 'merge-request': merge_request.id, iid },
      }
    }
    case 'snippet': {
      const { snippet, project } = target
      const note = open.anchor === '' ? '' : ` (comment ${open.anchor.slice('#note_'.length)})`
      return {
        url: pageUrl(config, snippetAddress(snippet, project.full_path)) + open.anchor,
        text: `${projectReference(project.full_path, home.full_path)}$${snippet.id}${note}`,
        title: snippet.title,
        data: { project: project.id, snippet: snippet.id },
      }
    }
    case 'label': {
      const { label, project } = target
      const from = projectReference(project.full_path, home.full_path)
      return {
        url: `${pageUrl(config, issuesAddress(project))}?label_name[]=${encodeURIComponent(label.title)}`,
        text: from === '' ? label.title : `${label.title} in ${from}`,
        title: label.description,
        data: { project: project.id, label: label.id, color: label.color },
      }
    }
    case 'milestone': {
      const { milestone, project } = target
      const from = projectReference(project.full_path, home.full_path)
      const { place_path, isOfGroup, iid } = milestone
      return {
        url: pageUrl(config, milestoneAddress({ kind: isOfGroup ? 'group' : 'project', row: { full_path: place_path } }, iid)),
        text: from === '' || isOfGroup ? `%${milestone.title}` : `%${milestone.title} in ${from}`,
        title: null,
        data: { project: project.id, milestone: milestone.id },
      }
    }
    default:
      return commits && describeCommits(config, home, target, commits)
  }
}

const short = (oid: string) => oid.slice(0, 8)

function describeCommits(
  config: Config,
  home: Pick<Home, 'id' | 'full_path'>,
  { name, project }: { name: string; project: NamedProject },
  found: FoundCommits,
): Link {
  const [first = '', last] = found.oids
  const from = projectReference(project.full_path, home.full_path)
  const prefix = from === '' ? '' : `${from}@`
  const url = webUrl(config, project.full_path)
  if (last === undefined)
    return {
      url: `${url}/commit/${first}`,
      text: `${prefix}${short(first)}`,
      title: found.title,
      data: { project: project.id, commit: first },
    }
  const dots = name.includes('...') ? '...' : '..'
  return {
    url: `${url}/compare/${first}${dots === '...' ? '' : '^'}...${last}`,
    text: `${prefix}${short(first)}${dots}${short(last)}`,
    title: null,
    data: { project: project.id, 'commit-range': `${first}${dots}${last}` },
  }
}

function escapeHtml(value: string | number): string {
  return String(value).replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;')
}

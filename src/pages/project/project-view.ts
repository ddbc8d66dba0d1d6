/** The frame of all pages of a project: its breadcrumbs and two rows of tabs. */

import { mayUse } from '../../access/features.ts'
import { canDownload, type LocatedProject } from '../../access/find.ts'
import { mayReadJobs } from '../../access/jobs.ts'
import { canSeeMergeRequests } from '../../access/merge-requests.ts'
import { may } from '../../access/permissions.ts'
import { mayReadWiki } from '../../access/wikis.ts'
import { mergeTrainsAddress } from '../../addresses/merge-requests.ts'
import { addressAt } from '../../addresses/repository.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { countOpenIssues } from '../../features/planning/issues/issues.ts'
import { countOpenMergeRequests } from '../../features/review/merge-requests/merge-requests.ts'
import { branchRevision } from '../../git/refs/names.ts'
import { type Html, html } from '../../html/html.ts'
import { t, translated } from '../../html/sentences.ts'
import { bellOf } from '../frame/bell.ts'
import type { View } from '../frame/declaration.ts'
import { visibilityTag } from '../frame/levels.ts'
import { liveUpdates } from '../frame/live.ts'
import { navigation } from '../frame/parts.ts'

/** A project that an access rule has granted. */
export interface Seen {
  project: LocatedProject
  level: number
  user: User | null
}

type Address = (path: string, branch: string) => string

interface Tab {
  label: string
  /** The number of open items. */
  count?: (app: App, seen: Seen) => Promise<number>
  address: Address
  /** Its pages, as a second row of tabs; the tab itself leads to the first of them. */
  pages: Record<string, readonly [label: string, address: Address, isFor?: (seen: Seen) => boolean]>
  isFor: (seen: Seen) => boolean
}

const readsCode = ({ project, level, user }: Seen) => project.default_branch !== null && canDownload({ project, level }, user)

/** Keyboard shortcuts of pages, for the list of keys. */
const keys: Readonly<Record<string, string>> = {
  project: 'g o',
  activity: 'g v',
  members: 'g m',
  files: 'g f',
  commits: 'g c',
  branches: 'g b',
  tags: 'g t',
  releases: 'g r',
  graphs: 'g d',
  network: 'g n',
  issues: 'g i',
  boards: 'g k',
  labels: 'g l',
  milestones: 'g s',
  merge_requests: 'g q',
  pipelines: 'g j',
  wiki: 'g w',
  snippets: 'g p',
  general: 'g e',
}

/** Features add their tabs here. */
const tabs = translated({
  project: {
    label: 'Project',
    address: (path) => `/${path}`,
    pages: {
      project: ['Overview', (path) => `/${path}`],
      activity: ['Activity', (path) => `/${path}/activity`],
      members: ['Members', (path) => `/${path}/project_members`],
    },
    isFor: () => true,
  },
  repository: {
    label: 'Repository',
    address: (path, branch) => addressAt(path, 'tree', branchRevision(branch)),
    pages: {
      files: ['Files', (path, branch) => addressAt(path, 'tree', branchRevision(branch))],
      commits: ['Commits', (path, branch) => addressAt(path, 'commits', branchRevision(branch))],
      branches: ['Branches', (path) => `/${path}/branches`],
      tags: ['Tags', (path) => `/${path}/tags`],
      releases: ['Releases', (path) => `/${path}/releases`],
      compare: ['Compare', (path) => `/${path}/compare`],
      graphs: ['Contributors', (path, branch) => addressAt(path, 'graphs', branchRevision(branch))],
      network: ['Graph', (path, branch) => addressAt(path, 'network', branchRevision(branch))],
    },
    isFor: readsCode,
  },
  issues: {
    label: 'Issues',
    count: ({ db }, { project, level }) => countOpenIssues(db, project.id, may('read_confidential_issues', level)),
    address: (path) => `/${path}/issues`,
    pages: {
      issues: ['List', (path) => `/${path}/issues`],
      boards: ['Boards', (path) => `/${path}/boards`],
      labels: ['Labels', (path) => `/${path}/labels`],
      milestones: ['Milestones', (path) => `/${path}/milestones`],
    },
    isFor: ({ project, level }) => mayUse('issues', { project, level }),
  },
  merge_requests: {
    label: 'Merge requests',
    count: ({ db }, { project }) => countOpenMergeRequests(db, project.id),
    address: (path) => `/${path}/merge_requests`,
    pages: {
      merge_requests: ['Merge requests', (path) => `/${path}/merge_requests`],
      merge_trains: [
        'Merge queue',
        (path) => mergeTrainsAddress({ full_path: path }),
        ({ project, level }) => project.merge_trains_enabled && mayReadJobs({ project, level }),
      ],
    },
    isFor: ({ project, level, user }) => canSeeMergeRequests({ project, level }, user),
  },
  ci: {
    label: 'CI/CD',
    address: (path) => `/${path}/pipelines`,
    pages: {
      pipelines: ['Pipelines', (path) => `/${path}/pipelines`],
      editor: ['Editor', (path) => `/${path}/-/ci/editor`],
      schedules: ['Schedules', (path) => `/${path}/pipeline_schedules`],
      environments: ['Environments', (path) => `/${path}/environments`, ({ level }) => may('read_deployments', level)],
      terraform_states: ['Terraform states', (path) => `/${path}/-/terraform`, ({ level }) => may('read_terraform_states', level)],
      feature_flags: ['Feature flags', (path) => `/${path}/-/feature_flags`, ({ level }) => may('manage_feature_flags', level)],
    },
    isFor: mayReadJobs,
  },
  wiki: {
    label: 'Wiki',
    address: (path) => `/${path}/wikis`,
    pages: { wiki: ['Wiki', (path) => `/${path}/wikis`] },
    isFor: ({ project, level, user }) => mayReadWiki({ kind: 'project', row: project, level }, user),
  },
  snippets: {
    label: 'Snippets',
    address: (path) => `/${path}/snippets`,
    pages: { snippets: ['Snippets', (path) => `/${path}/snippets`] },
    isFor: ({ project, level }) => mayUse('snippets', { project, level }),
  },
  settings: {
    label: 'Settings',
    address: (path) => `/${path}/edit`,
    pages: {
      general: ['General', (path) => `/${path}/edit`],
      'settings-repository': ['Repository', (path) => `/${path}/settings/repository`],
      'push-rules': ['Push rules', (path) => `/${path}/settings/push_rules`],
      'settings-approvals': ['Approvals', (path) => `/${path}/settings/merge_requests`],
      'status-checks': ['Status checks', (path) => `/${path}/settings/status_checks`],
      'settings-ci': ['CI/CD', (path) => `/${path}/settings/ci_cd`],
      hooks: ['Webhooks', (path) => `/${path}/hooks`],
      integrations: ['Integrations', (path) => `/${path}/settings/integrations`],
      'access-tokens': ['Access tokens', (path) => `/${path}/settings/access_tokens`],
      'service-accounts': ['Service accounts', (path) => `/${path}/settings/service_accounts`],
    },
    isFor: ({ level }) => may('edit_project', level),
  },
} as const satisfies Record<string, Tab>)

type PagesOf<T> = T extends { pages: infer P } ? keyof P : never

/** A page of a project, by its tab; null for a page outside of all tabs. */
export type ProjectTab = PagesOf<(typeof tabs)[keyof typeof tabs]>

interface Placed {
  tab: ProjectTab | null
  /** False if nothing on the page comes from the repository: then a push doesn't count as a change of the page. */
  showsCode?: false
}

/** A page of a project. The title begins with its most specific part. */
export function projectView(seen: Seen & Placed, { title, main, ...rest }: Omit<View, 'above'>): View {
  const { id, full_path, name } = seen.project
  const searchIn = { parameter: 'project_id', id, name } as const
  return {
    ...rest,
    searchIn,
    creations: creationsIn(seen),
    title: title === '' ? full_path : `${title} · ${full_path}`,
    main,
    above: (app) => headOf(app, seen),
  }
}

/** Links for the menu that creates things, as far as the viewer may. */
function creationsIn({ project, level, user }: Seen): Array<readonly [label: string, href: string]> {
  if (user === null || project.archived) return []
  const at = `/${project.full_path}`
  const proposes = project.default_branch !== null && canSeeMergeRequests({ project, level }, user)
  return [
    ...(mayUse('issues', { project, level }) ? [[t`New issue`, `${at}/issues/new`] as const] : []),
    ...(proposes ? [[t`New merge request`, `${at}/merge_requests/new`] as const] : []),
    ...(mayUse('snippets', { project, level }) ? [[t`New snippet`, `${at}/snippets/new`] as const] : []),
  ]
}

/** Two statements, cached, and one more for signed-in users. */
async function headOf(app: App, { tab: current, showsCode, ...seen }: Seen & Placed): Promise<Html> {
  const { full_path, namespace_full_path, namespace_kind, name, visibility, archived } = seen.project
  const branch = seen.project.default_branch ?? ''
  const above = namespace_kind === 'group' ? `/groups/${namespace_full_path}` : `/${namespace_full_path}`
  const shown: Tab[] = Object.values(tabs).filter(({ isFor }) => isFor(seen))
  const open = shown.find(({ pages }) => current !== null && current in pages)
  const place = { kind: 'project', row: seen.project, level: seen.level } as const
  const [bell, ...counts] = await Promise.all([bellOf(app, seen.user, place), ...shown.map((tab) => tab.count?.(app, seen))])
  const first = shown.map((tab, index) => ({
    label: tab.label,
    count: counts[index],
    href: tab.address(full_path, branch),
    isCurrent: tab === open,
    key: tab === open ? undefined : keys[Object.keys(tab.pages)[0] ?? ''],
  }))
  const pages = Object.entries(open?.pages ?? {}).filter(([, [, , isFor]]) => isFor?.(seen) ?? true)
  const second = pages.map(([key, [label, address]]) => ({
    label,
    href: address(full_path, branch),
    isCurrent: key === current,
    key: keys[key],
  }))
  return html`
    <div class="above">
      <nav class="where" aria-label="Location">
        <a href="${above}">${namespace_full_path}</a> <a href="/${full_path}"><b>${name}</b></a>
        ${visibilityTag(visibility)}${archived && html`<span class="tag">archived</span>`}${bell}
      </nav>
      ${showsCode !== false && readsCode(seen) && liveUpdates('code', seen.project.id, String(seen.project.push_count), 'notice')}
      ${navigation(t`Project`, first)}
      ${second.length > 1 && navigation(t`Pages of ${open?.label ?? ''}`, second, 'tabs second')}
    </div>
  `
}

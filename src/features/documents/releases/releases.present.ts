/** Releases as JSON. Commits, tags and sources are left out for callers who may not read the code. */
import type { Static } from 'typebox'
import { canDownload, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { ReleaseLink as LinkRow, User } from '../../../db/tables.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { tagRevision } from '../../../git/refs/names.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { renderTexts } from '../../discussion/references/references.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { type PlacedMilestone, presentMilestone } from '../../planning/milestones/milestones.ts'
import { presentCommit } from '../../repository/commits/commits.ts'
import { countIssuesOfMilestones, type IssueCounts } from '../../review/milestone-issues/milestone-issues.ts'
import { type EvidenceInBrief, evidencesOf } from './evidences.queries.ts'
import { type AuthoredRelease, linksOf, milestonesOf, projectsOf } from './releases.queries.ts'
import type { Release, ReleaseLink, ReleaseMilestone } from './releases.schema.ts'

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar']

/** A longer description isn't rendered, and a list renders no more than this in total: it would take seconds. */
const maxRendered_chars = 64 * 1024
const maxRenderedTogether_chars = 4 * maxRendered_chars

/** The viewer, with their access to the project. */
export interface Viewing extends ProjectAccess {
  user: User | null
  /** IP address of the client, needed to render descriptions. */
  ip?: string
  /** Whether descriptions are rendered. */
  html: boolean
}

/** Four statements for the links, evidence and milestones of all of them. Commits that are cached need no git process. */
export async function presentReleases(app: App, viewing: Viewing, releases: AuthoredRelease[]): Promise<Array<Presented<typeof Release>>> {
  const ids = releases.map(({ id }) => id)
  const [links, milestones, evidences] = await Promise.all([
    linksOf(app.db, ids),
    presentMilestones(app, viewing, ids),
    evidencesOf(app.db, ids),
  ])
  let left_chars = maxRenderedTogether_chars
  const texts = releases.map(({ description }) => {
    if (!viewing.html || description.length > Math.min(left_chars, maxRendered_chars)) return null
    left_chars -= description.length
    return description
  })
  const rendered = await renderTexts(app, viewing, texts)
  const shown = { project: viewing.project, readsCode: canDownload(viewing, viewing.user) }
  const presented: Array<Presented<typeof Release>> = []
  for (const [index, release] of releases.entries())
    presented.push(
      await presentOne(app, shown, release, {
        links: links.get(release.id) ?? [],
        milestones: milestones.get(release.id) ?? [],
        evidences: evidences.get(release.id) ?? [],
        html: viewing.html ? (rendered[index] ?? null) : undefined,
      }),
    )
  return presented
}

/** Presents releases of many projects, whose code the viewer may read, without HTML. One statement more than for one project. */
export async function presentReleasesOfMany(app: App, user: User | null, releases: AuthoredRelease[]) {
  const ids = releases.map(({ id }) => id)
  const [links, milestones, evidences, projects] = await Promise.all([
    linksOf(app.db, ids),
    presentMilestones(app, { user }, ids),
    evidencesOf(app.db, ids),
    projectsOf(app.db, releases),
  ])
  return Promise.all(
    releases.flatMap((release) => {
      const project = projects.get(release.project_id)
      // A project that was deleted meanwhile isn't shown.
      if (!project) return []
      const parts = {
        links: links.get(release.id) ?? [],
        milestones: milestones.get(release.id) ?? [],
        evidences: evidences.get(release.id) ?? [],
        html: undefined,
      }
      return [presentOne(app, { project, readsCode: true }, release, parts)]
    }),
  )
}

type PresentedMilestone = Presented<typeof ReleaseMilestone>

/** Keyed by release. Milestones that the viewer can't see are left out, and only visible issues are counted. */
async function presentMilestones(
  { db, config }: App,
  { user }: Pick<Viewing, 'user'>,
  ids: number[],
): Promise<Map<number, PresentedMilestone[]>> {
  const milestones = await milestonesOf(db, user, ids)
  const all = new Set([...milestones.values()].flat().map(({ id }) => id))
  const counts = await countIssuesOfMilestones(db, user, [...all])
  const present = (milestone: PlacedMilestone) => {
    const { opened, closed }: IssueCounts = counts.get(milestone.id) ?? { opened: 0, closed: 0 }
    return Object.assign(presentMilestone(config, milestone), { issue_stats: { total: opened + closed, closed } })
  }
  return new Map([...milestones].map(([id, some]) => [id, some.map(present)]))
}

export async function presentRelease(app: App, viewing: Viewing, release: AuthoredRelease): Promise<Presented<typeof Release>> {
  const [presented] = await presentReleases(app, viewing, [release])
  return presented as NonNullable<typeof presented>
}

interface Parts {
  links: LinkRow[]
  milestones: PresentedMilestone[]
  evidences: EvidenceInBrief[]
  /** The rendered description: null if it is too long to render, undefined if the caller didn't ask for HTML. */
  html: string | null | undefined
}

async function presentOne(
  app: App,
  { project, readsCode }: { project: LocatedProject; readsCode: boolean },
  release: AuthoredRelease,
  { links, milestones, evidences, html }: Parts,
): Promise<Presented<typeof Release>> {
  const { tag_name, description, author } = release
  const url = projectUrl(app.config, project)
  const path = new URL(url).pathname
  const commit = readsCode ? await commitOf(app, project, tag_name) : null
  const sources = readsCode ? sourcesOf(url, project, tag_name) : undefined
  return {
    tag_name: readsCode ? tag_name : undefined,
    // The reference's name for callers who may not know the tag.
    name: release.name ?? (readsCode ? tag_name : `Release-${release.id}`),
    description: description || null,
    description_html: html,
    created_at: release.created_at,
    released_at: release.released_at,
    upcoming_release: release.released_at > new Date().toISOString(),
    author: author ? presentUserBrief(app.config, author) : undefined,
    commit: readsCode ? commit && presentCommit(commit, url) : undefined,
    milestones,
    commit_path: readsCode ? commit && `${path}/-/commit/${commit.oid}` : undefined,
    tag_path: readsCode ? `${path}/-/tags/${encodeURIComponent(tag_name)}` : undefined,
    assets: {
      count: (sources?.length ?? 0) + links.length,
      sources,
      links: links.map((link) => presentLink(app.config, project, readsCode ? tag_name : null, link)),
    },
    evidences: readsCode
      ? evidences.map(({ id, sha, collected_at }) => ({ sha, filepath: `${releaseUrl(url, tag_name)}/evidences/${id}.json`, collected_at }))
      : undefined,
    _links: { self: readsCode ? releaseUrl(url, tag_name) : undefined },
  }
}

/** Null if the tag was deleted by git. */
async function commitOf(app: App, project: LocatedProject, tagName: string) {
  const repo = app.git.open(project.id)
  const oid = await resolveCommit(repo, tagRevision(tagName))
  return oid === null ? null : readCommit(repo, oid)
}

/**
 * URLs that `transport/release-files.ts` serves. They contain the full name of the tag: otherwise anyone who may push a branch could
 * replace what is released.
 */
export function sourcesOf(url: string, { path }: LocatedProject, tagName: string) {
  const file = encodeURIComponent(`${path}-${tagName.replaceAll('/', '-')}`)
  return formats.map((format) => ({ format, url: `${url}/-/archive/${encodeURIComponent(tagRevision(tagName))}/${file}.${format}` }))
}

function releaseUrl(url: string, tagName: string): string {
  return `${url}/-/releases/${encodeURIComponent(tagName)}`
}

/** @param tagName null for callers who may not know it, who get the plain URL of the link */
export function presentLink(config: Config, project: LocatedProject, tagName: string | null, link: LinkRow): Static<typeof ReleaseLink> {
  const { id, name, url, filepath, link_type } = link
  const direct = filepath === null || tagName === null ? url : `${releaseUrl(projectUrl(config, project), tagName)}/downloads${filepath}`
  return { id, name, url, direct_asset_url: direct, link_type }
}

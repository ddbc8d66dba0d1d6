/** Resolves references to what a viewer can see, for many texts at once. */
import { mayUse } from '../../../access/features.ts'
import { canDownload, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import { canSeeIssue } from '../../../access/issues.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { canSeeSnippet } from '../../../access/snippets.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import type { Reference, ReferenceKind } from '../../instance/markdown/markdown.ts'
import {
  assignedAmong,
  issuesByNumbers,
  issuesOfProject,
  labelsByNames,
  mergeRequestsByNumbers,
  milestonesByNames,
  type NamedGroup,
  type NamedIssue,
  type NamedLabel,
  type NamedMergeRequest,
  type NamedMilestone,
  type NamedProject,
  type NamedSnippet,
  type NamedUser,
  peopleByPaths,
  projectsByPaths,
  snippetsByIds,
} from './targets.queries.ts'

/** The project of a text, in which references without a path are looked up. */
export type Home = LocatedProject

export type Referenced =
  | NamedUser
  | NamedGroup
  /** `@all`: the members of the project. */
  | { kind: 'everybody' }
  | { kind: 'issue'; issue: NamedIssue; project: NamedProject }
  | { kind: 'merge_request'; merge_request: NamedMergeRequest; project: NamedProject }
  /** Only snippets of projects: personal ones have no short name. */
  | { kind: 'snippet'; snippet: NamedSnippet; project: NamedProject }
  | { kind: 'label'; label: NamedLabel; project: NamedProject }
  | { kind: 'milestone'; milestone: NamedMilestone; project: NamedProject }
  /** Commits are looked up by callers with a repository: here only the project is known. */
  | { kind: 'commit' | 'commit_range'; name: string; project: NamedProject }

/** The target of a reference; null if it doesn't exist or is hidden from the viewer. */
export type Resolved = (reference: Reference) => Referenced | null

/** Limit of all texts that are resolved together; further references are left as written. */
export const maxTogether = 2_000

/**
 * Resolves references for a viewer: at most eleven statements, regardless of their number.
 * @param kinds omits the statements for all other kinds
 * @param level of the viewer in the project of the text, if known: that saves costly conditions for things in it
 */
export async function resolveReferences(
  db: Db,
  viewer: Viewer,
  home: Home,
  references: Iterable<Reference>,
  kinds?: ReadonlySet<ReferenceKind>,
  level?: number,
): Promise<Resolved> {
  const wanted = [...distinct(references, kinds)]
  const ofKind = (...some: ReferenceKind[]) => wanted.filter(({ kind }) => some.includes(kind))
  const usernames = keysOf(ofKind('user'), ({ name }) => name.toLowerCase())
  const people = await peopleByPaths(db, viewer, usernames)
  const elsewhere = wanted.filter(({ kind }) => kind !== 'user')
  const paths = keysOf(elsewhere, (reference) => projectKey(home, reference))
  const homeKey = home.full_path.toLowerCase()
  const isKnown = level !== undefined
  const projects = await projectsByPaths(db, viewer, isKnown ? paths.filter((path) => path !== homeKey) : paths)
  if (isKnown) projects.set(homeKey, homeOf(home, level, viewer))
  const projectOf = (reference: Reference) => projects.get(projectKey(home, reference)) ?? null
  const access = isKnown ? { project: home, level } : null
  const issues = await resolveIssues(db, viewer, ofKind('issue'), projectOf, access)
  const mergeRequests = await resolveMergeRequests(db, viewer, ofKind('merge_request'), projectOf, access)
  const snippets = await resolveSnippets(db, viewer, ofKind('snippet'), projectOf, access)
  const plansOf = (reference: Reference) => {
    const project = projectOf(reference)
    return project?.isPlanned ? project : null
  }
  const labels = await resolveLabels(db, ofKind('label'), plansOf)
  const milestones = await resolveMilestones(db, ofKind('milestone'), plansOf)
  return (reference) => {
    if (reference.kind === 'user') return personCalled(reference.name, people)
    const project = projectOf(reference)
    if (!project) return null
    const key = nameKey(project.id, reference)
    if (reference.kind === 'issue') return targetOf('issue', issues.get(key), project)
    if (reference.kind === 'merge_request') return targetOf('merge_request', mergeRequests.get(key), project)
    if (reference.kind === 'snippet') return targetOf('snippet', snippets.get(key), project)
    if (reference.kind === 'label') return targetOf('label', labels.get(key), project)
    if (reference.kind === 'milestone') return targetOf('milestone', milestones.get(key), project)
    return project.isReadable ? { kind: reference.kind, name: reference.name, project } : null
  }
}

function homeOf(project: Home, level: number, viewer: Viewer): NamedProject {
  const { id, full_path, namespace_id, path } = project
  const access = { project, level }
  const showsMergeRequests = mayUse('merge_requests', access)
  const isPlanned = mayUse('issues', access) || showsMergeRequests
  return { id, full_path, namespace_id, path, isReadable: canDownload(access, viewer), isPlanned, showsMergeRequests }
}

function targetOf<K extends 'issue' | 'merge_request' | 'snippet' | 'label' | 'milestone', T>(
  kind: K,
  found: T | undefined,
  project: NamedProject,
): Referenced | null {
  return found ? ({ kind, [kind]: found, project } as unknown as Referenced) : null
}

function personCalled(name: string, people: Map<string, NamedUser | NamedGroup>): Referenced | null {
  return people.get(name.toLowerCase()) ?? (name === 'all' ? { kind: 'everybody' } : null)
}

/** The lower-case path of the project in which a reference is looked up: a single name is in the same namespace. */
export function projectKey(home: Pick<Home, 'full_path'>, { path }: Pick<Reference, 'path'>): string {
  if (path === null) return home.full_path.toLowerCase()
  if (path.includes('/')) return path.toLowerCase()
  return `${home.full_path.slice(0, home.full_path.lastIndexOf('/'))}/${path}`.toLowerCase()
}

function* distinct(references: Iterable<Reference>, kinds: ReadonlySet<ReferenceKind> | undefined): Generator<Reference> {
  const seen = new Set<string>()
  for (const reference of references) {
    // Files may contain NUL, which PostgreSQL rejects.
    if ((kinds && !kinds.has(reference.kind)) || reference.name.includes('\0')) continue
    const key = `${reference.kind} ${reference.path} ${reference.isTitle} ${reference.isLink} ${reference.name}`
    if (seen.has(key)) continue
    if (seen.size >= maxTogether) return
    seen.add(key)
    yield reference
  }
}

function keysOf(references: Reference[], keyOf: (reference: Reference) => string): string[] {
  return [...new Set(references.map(keyOf))]
}

function nameKey(projectId: number, { isTitle, name }: Pick<Reference, 'isTitle' | 'name'>): string {
  return `${projectId} ${isTitle ? 'title' : 'number'} ${name}`
}

type ProjectOf = (reference: Reference) => NamedProject | null

async function resolveIssues(
  db: Db,
  viewer: Viewer,
  references: Reference[],
  projectOf: ProjectOf,
  access: ProjectAccess | null,
): Promise<Map<string, NamedIssue>> {
  const wanted = numbersOf(references, projectOf)
  const near = access && wanted.get(access.project.id)
  if (access) wanted.delete(access.project.id)
  const found: NamedIssue[] = access && near ? await visibleIssuesOf(db, viewer, access, [...near]) : []
  found.push(...(await issuesByNumbers(db, viewer, wanted)))
  return new Map(found.map((issue) => [nameKey(issue.project_id, { isTitle: false, name: String(issue.iid) }), issue]))
}

function numbersOf(references: Reference[], projectOf: ProjectOf): Map<number, Set<number>> {
  const wanted = new Map<number, Set<number>>()
  for (const reference of references) {
    const project = projectOf(reference)
    if (project) wanted.set(project.id, (wanted.get(project.id) ?? new Set()).add(Number(reference.name)))
  }
  return wanted
}

async function resolveMergeRequests(
  db: Db,
  viewer: Viewer,
  references: Reference[],
  projectOf: ProjectOf,
  access: ProjectAccess | null,
): Promise<Map<string, NamedMergeRequest>> {
  const seen = access && canSeeMergeRequests(access, viewer) ? access.project.id : null
  const found = await mergeRequestsByNumbers(db, viewer, numbersOf(references, projectOf), seen)
  return new Map(found.map((one) => [nameKey(one.project_id, { isTitle: false, name: String(one.iid) }), one]))
}

/** By id, which is unique over all projects: each is looked up in the project that the reference names. */
async function resolveSnippets(
  db: Db,
  viewer: Viewer,
  references: Reference[],
  projectOf: ProjectOf,
  access: ProjectAccess | null,
): Promise<Map<string, NamedSnippet>> {
  const near = access?.project.id ?? null
  const found = await snippetsByIds(db, viewer, numbersOf(references, projectOf), near)
  const visible = found.filter((snippet) => snippet.project_id !== near || canSeeSnippet(snippet, access, viewer))
  return new Map(visible.map((snippet) => [nameKey(snippet.project_id, { isTitle: false, name: String(snippet.id) }), snippet]))
}

/** Issues of a project in which the viewer's level is known: one statement, and one more if some are confidential. */
async function visibleIssuesOf(db: Db, viewer: Viewer, access: ProjectAccess, iids: number[]): Promise<NamedIssue[]> {
  const issues = await issuesOfProject(db, viewer, access.project.id, iids)
  const hidden = issues.filter((issue) => !canSeeIssue(access, issue, [], viewer))
  const assigned =
    viewer && hidden.length > 0
      ? await assignedAmong(
          db,
          viewer.id,
          hidden.map(({ id }) => id),
        )
      : new Set<number>()
  return issues.filter((issue) => canSeeIssue(access, issue, viewer && assigned.has(issue.id) ? [viewer.id] : [], viewer))
}

/** Titles, numbers and projects of labels or milestones. */
function namesOf(references: Reference[], projectOf: ProjectOf): { ids: number[]; titles: string[]; numbers: number[] } {
  const found = references.filter((reference) => projectOf(reference) !== null)
  return {
    ids: [...new Set(found.flatMap((reference) => projectOf(reference)?.id ?? []))],
    titles: [...new Set(found.filter(({ isTitle }) => isTitle).map(({ name }) => name))],
    numbers: [...new Set(found.filter(({ isTitle }) => !isTitle).map(({ name }) => Number(name)))],
  }
}

async function resolveLabels(db: Db, references: Reference[], projectOf: ProjectOf): Promise<Map<string, NamedLabel>> {
  const { ids, titles, numbers } = namesOf(references, projectOf)
  const labels = new Map<string, NamedLabel>()
  for (const label of await labelsByNames(db, ids, titles, numbers)) {
    labels.set(nameKey(label.project_id, { isTitle: true, name: label.title }), label)
    labels.set(nameKey(label.project_id, { isTitle: false, name: String(label.id) }), label)
  }
  return labels
}

async function resolveMilestones(db: Db, references: Reference[], projectOf: ProjectOf): Promise<Map<string, NamedMilestone>> {
  const { ids, titles, numbers } = namesOf(references, projectOf)
  const milestones = new Map<string, NamedMilestone>()
  for (const milestone of await milestonesByNames(db, ids, titles, numbers)) {
    milestones.set(nameKey(milestone.project_id, { isTitle: true, name: milestone.title }), milestone)
    if (!milestone.isOfGroup) milestones.set(nameKey(milestone.project_id, { isTitle: false, name: String(milestone.iid) }), milestone)
  }
  return milestones
}

/** Every address leads to a page that is declared, and to the right one. */
import { expect, test } from 'vitest'
import { fitsOf, segmentsIn } from '../pages/frame/patterns.ts'
import { pages } from '../pages/index.ts'
import * as ci from './ci.ts'
import * as documents from './documents.ts'
import * as mergeRequests from './merge-requests.ts'
import * as places from './places.ts'
import * as planning from './planning.ts'
import * as repository from './repository.ts'

const oid = '0123456789abcdef0123456789abcdef01234567'
const project = { full_path: 'group/shapes' }
const ofProject = { kind: 'project', row: project } as const
const ofGroup = { kind: 'group', row: { full_path: 'group/sub' } } as const
const odd = 'a b/#1?%ü'

/** The page of each address, under the name of the function that makes it. */
const leads: Array<[name: string, address: string, page: string]> = [
  ['projectAddress', places.projectAddress(project), '/:project'],
  ['groupAddress', places.groupAddress('group/sub'), '/groups/:group'],
  ['groupAddress', places.groupAddress('group/sub', 'edit'), '/groups/:group/-/edit'],
  ['userAddress', places.userAddress('ada'), '/:user'],
  ['placeAddress', places.placeAddress(ofProject, 'labels'), '/:project/labels'],
  ['placeAddress', places.placeAddress(ofGroup, 'labels'), '/groups/:group/-/labels'],
  ['membersAddress', places.membersAddress(ofProject), '/:project/project_members'],
  ['membersAddress', places.membersAddress(ofGroup), '/groups/:group/-/group_members'],
  ['addressAt', repository.addressAt('group/shapes', 'tree', 'main'), '/:project/tree/*'],
  ['addressAt', repository.addressAt('group/shapes', 'blob', 'feature/one', odd), '/:project/blob/*'],
  ['fileAddress', repository.fileAddress(project, 'main', odd), '/:project/blob/*'],
  ['commitAddress', repository.commitAddress(project, oid), '/:project/commit/:sha'],
  ['tagsAddress', repository.tagsAddress(project), '/:project/tags'],
  ['tagAddress', repository.tagAddress(project, 'v1/#2'), '/:project/tags/*'],
  ['tagAddress', repository.tagAddress(project, 'new'), '/:project/tags/*'],
  ['releasesAddress', repository.releasesAddress(project), '/:project/releases'],
  ['releaseAddress', repository.releaseAddress(project, 'v1/#2'), '/:project/releases/*'],
  ['releaseAddress', repository.releaseAddress(project, 'new'), '/:project/releases/*'],
  ['issuesAddress', planning.issuesAddress(project), '/:project/issues'],
  ['issueAddress', planning.issueAddress(project, 1), '/:project/issues/:issue_iid'],
  ['labelsAddress', planning.labelsAddress(ofGroup), '/groups/:group/-/labels'],
  ['milestoneAddress', planning.milestoneAddress(ofProject, 1), '/:project/milestones/:milestone_iid'],
  ['milestoneAddress', planning.milestoneAddress(ofGroup, 1), '/groups/:group/-/milestones/:milestone_iid'],
  ['boardAddress', planning.boardAddress(ofProject, { id: 1 }), '/:project/boards/:board_id'],
  ['boardAddress', planning.boardAddress(ofGroup, { id: 1 }), '/groups/:group/-/boards/:board_id'],
  ['mergeRequestsAddress', mergeRequests.mergeRequestsAddress(project), '/:project/merge_requests'],
  ['mergeRequestAddress', mergeRequests.mergeRequestAddress(project, 1), '/:project/merge_requests/:merge_request_iid'],
  ['newMergeRequestAddress', mergeRequests.newMergeRequestAddress(project, { branch: odd }), '/:project/merge_requests/new'],
  ['mergeTrainsAddress', mergeRequests.mergeTrainsAddress(project, { branch: odd, scope: 'merged' }), '/:project/merge_trains'],
  ['pipelinesAddress', ci.pipelinesAddress(project), '/:project/pipelines'],
  ['pipelineAddress', ci.pipelineAddress(project, 1), '/:project/pipelines/:pipeline_id'],
  ['jobAddress', ci.jobAddress(project, 1), '/:project/-/jobs/:job_id'],
  ['schedulesAddress', ci.schedulesAddress(project), '/:project/pipeline_schedules'],
  ['scheduleAddress', `${ci.scheduleAddress(project, { id: 1 })}/edit`, '/:project/pipeline_schedules/:pipeline_schedule_id/edit'],
  ['environmentsAddress', ci.environmentsAddress(project), '/:project/environments'],
  ['flagsAddress', ci.flagsAddress(project), '/:project/-/feature_flags'],
  ['statesAddress', ci.statesAddress(project), '/:project/-/terraform'],
  ['environmentAddress', ci.environmentAddress(project, { id: 1 }), '/:project/environments/:environment_id'],
  ['wikiPagesAddress', documents.wikiPagesAddress(ofProject), '/:project/wikis/-/pages'],
  ['wikiPageAddress', documents.wikiPageAddress(ofProject, odd, oid), '/:project/wikis/*'],
  ['wikiPageAddress', documents.wikiPageAddress(ofGroup, 'home'), '/groups/:group/-/wikis/*'],
  ['wikiWorkAddress', documents.wikiWorkAddress(ofGroup, 'edit', odd), '/groups/:group/-/wikis/-/edit/*'],
  ['snippetAddress', documents.snippetAddress({ id: 1 }, null), '/snippets/:id'],
  ['snippetAddress', documents.snippetAddress({ id: 1 }, 'group/shapes'), '/:project/snippets/:snippet_id'],
  [
    'snippetFileAddress',
    documents.snippetFileAddress(documents.snippetAddress({ id: 1 }, 'group/shapes'), odd),
    '/:project/snippets/:snippet_id/raw/main/*',
  ],
]

/** As a request is located: the pages stand in order, and the first that fits counts. Here every path leads to a space. */
function pageAt(address: string): string | undefined {
  const segments = segmentsIn(address.split('?')[0] as string) ?? []
  const spaces: Record<string, string[]> = { project: ['group/shapes'], group: ['group/sub'], user: ['ada'] }
  const fits = ({ pattern }: (typeof pages)[number]) =>
    fitsOf(pattern, segments).some(({ path }) => path === null || spaces[pattern.space ?? '']?.includes(path))
  const found = pages.filter((page) => page.kind === 'page' && fits(page))
  return (found.find(({ pattern }) => pattern.space === null) ?? found[0])?.pattern.text
}

test('every address is that of a declared page', () => {
  expect(leads.map(([name, address]) => [name, address, pageAt(address)])).toEqual(leads)
})

test('no function that makes an address is left out', () => {
  const made = [places, repository, planning, mergeRequests, ci, documents].flatMap((module) => Object.keys(module))
  const names = made.filter((name) => /[aA]ddress/.test(name))
  expect([...new Set(leads.map(([name]) => name))].sort()).toEqual(names.sort())
})

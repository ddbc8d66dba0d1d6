/** Merge trains: the queues in which merge requests are tested with those before them, and merged. */
import { Type } from 'typebox'
import { mayReadJobs } from '../../../access/jobs.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { outcome } from '../../../http/declare/outcome.ts'
import { allowed, type Condition, only, type ProjectGranted, project, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { type MergeRequestGranted, mergeRequestInPath } from '../../review/merge-requests/merge-requests.ts'
import { carOf, pageOfCars } from './cars.queries.ts'
import { presentCars } from './merge-trains.present.ts'
import { MergeTrainCar } from './merge-trains.schema.ts'
import { addToTrain } from './trains.service.ts'

const readers: Condition<ProjectGranted> = {
  description: 'those who can see the merge requests and the jobs of the project',
  holds: ({ project, level, user }) => canSeeMergeRequests({ project, level }, user) && mayReadJobs({ project, level }),
}

const seen = only(project('signed-in'), readers)

const inTrain = nested({}, async ({ merge_request }: MergeRequestGranted, _, app) => {
  const car = await carOf(app.db, merge_request.id)
  if (!car) throw notFound('Merge Train Merge Request')
  return { car }
})

const listing = {
  scope: Type.Optional(oneOf('active', 'complete')),
  sort: oneOfDefault('desc', 'asc'),
}

export const mergeTrains = [
  listEndpoint('GET /projects/:id/merge_trains', {
    summary: 'List the merge requests in the merge trains of a project, and those that were merged by them',
    access: seen,
    query: listing,
    item: MergeTrainCar,
    async handle({ app, project, query: { scope = null, sort }, page }) {
      const { rows, total } = await pageOfCars(app.db, { project_id: project.id, target_branch: null, scope, sort }, page)
      return { rows: await presentCars(app, project, rows), total }
    },
  }),
  listEndpoint('GET /projects/:id/merge_trains/:target_branch', {
    summary: 'List the merge requests in the merge train of a branch, and those that were merged by it',
    access: within(
      seen,
      nested({ target_branch: Type.String() }, async (_, { target_branch }) => ({ target_branch })),
    ),
    query: listing,
    item: MergeTrainCar,
    async handle({ app, project, target_branch, query: { scope = null, sort }, page }) {
      const { rows, total } = await pageOfCars(app.db, { project_id: project.id, target_branch, scope, sort }, page)
      return { rows: await presentCars(app, project, rows), total }
    },
  }),
  endpoint('GET /projects/:id/merge_trains/merge_requests/:merge_request_iid', {
    summary: 'Get the place of a merge request in its merge train',
    access: within(within(seen, mergeRequestInPath), inTrain),
    reply: MergeTrainCar,
    async handle({ app, project, car }) {
      const [presented] = await presentCars(app, project, [car])
      if (!presented) throw notFound('Merge Train Merge Request')
      return presented
    },
  }),
  endpoint('POST /projects/:id/merge_trains/merge_requests/:merge_request_iid', {
    summary: 'Add a merge request to the merge train of its target branch',
    access: within(only(unarchived(project('signed-in')), allowed('merge')), mergeRequestInPath),
    body: {
      auto_merge: Type.Optional(Type.Boolean({ description: 'Wait for its pipeline and its approvals first, where they are missing' })),
      when_pipeline_succeeds: Type.Optional(Type.Boolean({ description: 'The earlier name of auto_merge' })),
      sha: Type.Optional(Type.String({ description: 'The tip of the source branch as the caller knows it; 409 where it is another' })),
      squash: Type.Optional(Type.Boolean({ description: 'One commit takes the place of those of the branch' })),
    },
    status: 201,
    reply: Type.Array(MergeTrainCar),
    outcomes: { 202: 'It is added once its pipeline has succeeded' },
    fails: ['conflict', 'method_not_allowed'],
    async handle({ app, actor, project, merge_request, body: { auto_merge, when_pipeline_succeeds, sha, squash } }) {
      const isWaiting = auto_merge ?? when_pipeline_succeeds ?? false
      const added = await addToTrain(app, actor, merge_request, { sha, squash, merge_when_pipeline_succeeds: isWaiting })
      if (added.kind === 'scheduled') return outcome(202, [])
      const place = { project_id: project.id, target_branch: added.car.target_branch, scope: 'active', sort: 'desc' } as const
      const { rows } = await pageOfCars(app.db, place, { limit: 100, offset: 0 })
      return presentCars(app, project, rows)
    },
  }),
]

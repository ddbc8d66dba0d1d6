/** Presents cars of merge trains, with what they refer to. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { distinctIds } from '../../../db/rows.ts'
import type { MergeRequest, MergeTrainCar as MergeTrainCarRow, Pipeline } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { pipelinesByIds, presentPipelineBasic } from '../../ci/pipelines/pipelines.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { mergeRequestsByIds, presentMergeRequestsSimply } from '../../review/merge-requests/merge-requests.ts'
import type { MergeTrainCar } from './merge-trains.schema.ts'

export interface DescribedCar {
  car: MergeTrainCarRow
  merge_request: MergeRequest
  user: UserInBrief | null
  pipeline: Pipeline | null
}

/** Three statements, however many there are. */
export async function describeCars(db: Db, cars: readonly MergeTrainCarRow[]): Promise<DescribedCar[]> {
  if (cars.length === 0) return []
  const requests = await mergeRequestsByIds(
    db,
    cars.map(({ merge_request_id }) => merge_request_id),
  )
  const users = await usersInBrief(db, distinctIds(cars.map(({ user_id }) => user_id)))
  const pipelines = await pipelinesByIds(db, distinctIds(cars.map(({ pipeline_id }) => pipeline_id)))
  return cars.flatMap((car) => {
    const merge_request = requests.find(({ id }) => id === car.merge_request_id)
    if (!merge_request) return []
    const pipeline = pipelines.find(({ id }) => id === car.pipeline_id) ?? null
    return [{ car, merge_request, user: users.get(car.user_id ?? 0) ?? null, pipeline }]
  })
}

/** Four statements, however many there are. */
export async function presentCars(
  app: App,
  project: LocatedProject,
  cars: readonly MergeTrainCarRow[],
): Promise<Presented<typeof MergeTrainCar>[]> {
  const described = await describeCars(app.db, cars)
  const requests = await presentMergeRequestsSimply(
    app,
    described.map(({ merge_request }) => merge_request),
  )
  return described.flatMap(({ car, user, pipeline }, index) => {
    const { id, created_at, updated_at, target_branch, status, merged_at } = car
    const merge_request = requests[index]
    if (!merge_request) return []
    return [
      {
        id,
        merge_request,
        user: user && presentUserBrief(app.config, user),
        pipeline: pipeline && presentPipelineBasic(app.config, project, pipeline),
        created_at,
        updated_at,
        target_branch,
        status,
        merged_at,
        duration: merged_at === null ? null : secondsBetween(created_at, merged_at),
      },
    ]
  })
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000))
}

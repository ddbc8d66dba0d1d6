/** Carries out what the planner decides, step by step: each reads the queue anew, and may be repeated after the process has died in it. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { enqueue } from '../../../queue/queue.ts'
import { createPipeline } from '../../ci/pipelines/pipelines.ts'
import { hasCompleted } from '../../ci/processing/processing.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { type BuiltCar, build } from './building.service.ts'
import { type TrainPlace, testOf, updateCars, type WaitingCar, waitingCars } from './cars.queries.ts'
import { pusherOf } from './checks.service.ts'
import { land } from './landing.service.ts'
import { endTestJob, takeOut } from './leaving.service.ts'
import { nextStep, type PlannedCar, type Step } from './planner.ts'

/** Longer queues go on by another job, so that this one can't keep its slot. */
const maxSteps = 100

/**
 * Takes steps until the queue waits for something.
 * @returns whether there is more to do
 */
export async function advanceTrain(app: App, place: TrainPlace, stopping?: AbortSignal): Promise<boolean> {
  for (let steps = 0; steps < maxSteps; steps += 1) {
    stopping?.throwIfAborted()
    const cars = await waitingCars(app.db, place)
    const [first] = cars
    const found = first && (await findProject(app.db, String(place.project_id), everything).catch(nullIfMissing))
    if (!first || !found) return false
    const target = await resolveCommit(app.git.open(place.project_id), `refs/heads/${place.target_branch}`)
    if (target === null || !found.project.merge_trains_enabled) {
      await takeOut(app, first, target === null ? 'its target branch was deleted' : 'merge trains were turned off')
      continue
    }
    const { max_pipelines_per_merge_train: parallel, merge_train_batch_size: batch_size } = found.project
    const planned = cars.map((car) => plannedOf(app, car))
    const step = nextStep({ target, cars: planned, parallel, batch_size })
    if (!step || !(await take(app, step, new Map(cars.map((car) => [car.id, car]))))) return false
  }
  return true
}

function plannedOf(app: App, car: WaitingCar): PlannedCar {
  const { id, base_oid, merged_oid, batch_id } = car
  return { id, base: base_oid, merged: merged_oid, batch: batch_id, test: testResult(app, car) }
}

function testResult(app: App, { failure, pipeline_id, pipeline_status, tested_at }: WaitingCar): PlannedCar['test'] {
  if (failure !== null) return 'failed'
  // Its pipeline may have been deleted: then it is tested again.
  if (pipeline_id === null || pipeline_status === null || tested_at === null) return null
  if (pipeline_status === 'success') return 'success'
  if (hasCompleted(pipeline_status)) return 'failed'
  return Date.now() - Date.parse(tested_at) > app.limits.mergeTrainTest_ms ? 'failed' : 'running'
}

/** False if the queue has to wait. */
async function take(app: App, step: Step, byId: ReadonlyMap<number, WaitingCar>): Promise<boolean> {
  const cars = step.cars.flatMap(({ id }) => byId.get(id) ?? [])
  switch (step.kind) {
    case 'merge':
      return land(app, cars)
    case 'leave':
      return blame(app, cars)
    case 'split':
      return split(app, cars)
    case 'reset':
      return reset(app, cars)
    case 'test':
      return test(app, cars)
    case 'build':
      return buildBatch(app, cars, step.onto)
  }
}

const ids = (cars: readonly { id: number }[]) => cars.map(({ id }) => id)
const untested = { pipeline_id: null, failure: null, tested_at: null } as const
const unbuilt = { base_oid: null, merged_oid: null, merge_commit_oid: null, squash_commit_oid: null, batch_id: null, ...untested } as const

async function blame(app: App, cars: readonly WaitingCar[]): Promise<boolean> {
  for (const car of cars) await takeOut(app, car, car.failure ?? reasonOf(car))
  return true
}

function reasonOf({ pipeline_status }: WaitingCar): string {
  if (pipeline_status === null || !hasCompleted(pipeline_status)) return 'its pipeline did not end in time'
  return pipeline_status === 'failed' ? 'its pipeline failed' : `its pipeline was ${pipeline_status}`
}

async function split(app: App, cars: readonly WaitingCar[]): Promise<boolean> {
  await inTransaction(app.db, (tx) => updateCars(tx, ids(cars), { ...untested, batch_id: cars.at(-1)?.id ?? null, updated_at: now() }))
  return true
}

async function reset(app: App, cars: readonly WaitingCar[]): Promise<boolean> {
  await inTransaction(app.db, async (tx) => {
    const running = new Set(cars.flatMap(({ pipeline_id }) => pipeline_id ?? []))
    for (const pipeline_id of running) await enqueue(tx, endTestJob, { project_id: cars[0]?.project_id ?? 0, pipeline_id, iid: null })
    await updateCars(tx, ids(cars), { ...unbuilt, status: 'stale', updated_at: now() })
  })
  return true
}

async function buildBatch(app: App, cars: readonly WaitingCar[], onto: string): Promise<boolean> {
  const built = await build(app, cars, onto)
  if (built.kind === 'waits') return false
  if (built.kind === 'leaves') {
    await takeOut(app, built.car, built.because)
    return true
  }
  await inTransaction(app.db, async (tx) => {
    const batch_id = built.cars.at(-1)?.car.id ?? null
    for (const one of built.cars) await updateCars(tx, [one.car.id], { ...untested, ...rowOf(one), batch_id, updated_at: now() })
  })
  return true
}

function rowOf({ base_oid, written: { tip_oid, merge_commit_oid, squash_commit_oid } }: BuiltCar) {
  return { base_oid, merged_oid: tip_oid, merge_commit_oid, squash_commit_oid }
}

/** In the name of who added the last one. Finds the pipeline that a process created before it died. */
async function test(app: App, cars: readonly WaitingCar[]): Promise<boolean> {
  const last = cars.at(-1)
  if (!last) return false
  const made = await testOf(app.db, last)
  const tested = made === null ? await createTest(app, last) : { pipeline_id: made }
  const change = { ...untested, ...tested, tested_at: now(), status: 'fresh', updated_at: now() } as const
  await inTransaction(app.db, (tx) => updateCars(tx, ids(cars), change))
  return true
}

async function createTest(app: App, car: WaitingCar): Promise<{ pipeline_id: number } | { failure: string }> {
  const [merge_request, pusher] = [await mergeRequestById(app.db, car.merge_request_id), await pusherOf(app, car)]
  if (!merge_request || !pusher) return { failure: 'who added it is no longer allowed to merge it' }
  const created = await createPipeline(app, {
    project: pusher.project,
    user: pusher.user,
    ref: merge_request.source_branch,
    ref_kind: 'merge_request',
    sha: car.merged_oid as string,
    source: 'merge_request_event',
    merge_request: { ...merge_request, target_branch: car.target_branch },
    merge_event: 'merge_train',
    save_on_errors: true,
  })
  if ('pipeline' in created) return { pipeline_id: created.pipeline.id }
  return { failure: `no pipeline could be created: ${created.errors.join(', ').slice(0, 500)}` }
}

/** Paths of pages of pipelines and of what belongs to them. */
import { type AtPath, projectAddress } from './places.ts'

export function pipelinesAddress(project: AtPath): string {
  return `${projectAddress(project)}/pipelines`
}

export function pipelineAddress(project: AtPath, id: number): string {
  return `${pipelinesAddress(project)}/${id}`
}

export function jobAddress(project: AtPath, id: number): string {
  return `${projectAddress(project)}/-/jobs/${id}`
}

export function schedulesAddress(project: AtPath): string {
  return `${projectAddress(project)}/pipeline_schedules`
}

export function scheduleAddress(project: AtPath, { id }: { id: number }): string {
  return `${schedulesAddress(project)}/${id}`
}

export function flagsAddress(project: AtPath): string {
  return `${projectAddress(project)}/-/feature_flags`
}

export function statesAddress(project: AtPath): string {
  return `${projectAddress(project)}/-/terraform`
}

export function environmentsAddress(project: AtPath): string {
  return `${projectAddress(project)}/environments`
}

export function environmentAddress(project: AtPath, { id }: { id: number }): string {
  return `${environmentsAddress(project)}/${id}`
}

/** A feature's part of the table of contents. */
import type { Endpoint } from '../http/declare/endpoint.ts'
import type { AnyJob } from '../queue/queue.ts'

export interface Feature {
  /** Grouped by section of the documentation. */
  endpoints: Endpoint[]
  jobs: AnyJob[]
}

export function feature({ endpoints = [], jobs = [] }: Partial<Feature>): Feature {
  return { endpoints, jobs }
}

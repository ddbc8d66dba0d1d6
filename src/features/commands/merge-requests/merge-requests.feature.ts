/** Endpoints and jobs of merge requests, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { findClosedIssuesJob } from './closes.jobs.ts'
import { mergeRequestWrites } from './merge-requests.endpoints.ts'
import { mergeRequestMerging } from './merging.endpoints.ts'

export const commandsMergeRequestsFeature = feature({
  endpoints: section('Merge requests', mergeRequestWrites, mergeRequestMerging),
  jobs: [findClosedIssuesJob],
})

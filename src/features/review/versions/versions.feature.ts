/** Endpoints and jobs of versions, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { contextCommits } from './context-commits.endpoints.ts'
import { followTargetsJob, refreshVersionsJob } from './pushes.jobs.ts'
import { removeRefsJob, writeRefsJob } from './refs.jobs.ts'
import { mergeRequestVersions } from './versions.endpoints.ts'

export const versionsFeature = feature({
  endpoints: section('Merge requests', mergeRequestVersions, contextCommits),
  jobs: [refreshVersionsJob, followTargetsJob, writeRefsJob, removeRefsJob],
})

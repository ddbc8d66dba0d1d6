/** Endpoints and jobs of projects, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { projects } from './projects.endpoints.ts'
import { projectJobs } from './projects.jobs.ts'
import { projectRelations } from './related.endpoints.ts'
import { projectState } from './state.endpoints.ts'

export const projectsFeature = feature({ endpoints: section('Projects', projects, projectState, projectRelations), jobs: projectJobs })

/** Endpoints of project creation, for the table of contents. */
import { section } from '../../http/declare/endpoint.ts'
import { feature } from '../feature.ts'
import { projectCreation } from './project-creation.endpoints.ts'

export const projectCreationFeature = feature({ endpoints: section('Projects', projectCreation) })

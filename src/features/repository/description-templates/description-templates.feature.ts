/** Endpoints of description templates, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { templatesOfProjects } from './description-templates.endpoints.ts'

export const descriptionTemplatesFeature = feature({ endpoints: section('Templates', templatesOfProjects) })

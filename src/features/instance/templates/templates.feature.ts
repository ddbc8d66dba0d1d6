/** Endpoints of templates, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { templates } from './templates.endpoints.ts'

export const templatesFeature = feature({ endpoints: section('Templates', templates) })

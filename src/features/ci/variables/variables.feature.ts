/** Endpoints of variables, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { variables } from './variables.endpoints.ts'

export const variablesFeature = feature({ endpoints: section('CI variables', variables) })

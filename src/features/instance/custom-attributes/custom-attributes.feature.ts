/** Endpoints of custom attributes, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { customAttributes } from './custom-attributes.endpoints.ts'

export const customAttributesFeature = feature({ endpoints: section('Custom attributes', customAttributes) })

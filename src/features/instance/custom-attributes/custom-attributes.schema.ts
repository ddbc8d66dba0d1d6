/** Custom attributes, alone and as parameters and fields of the things they belong to. */
import { Type } from 'typebox'
import { Off, resource } from '../../../http/parameters/schema.ts'

export const CustomAttribute = resource('CustomAttribute', { key: Type.String(), value: Type.String() })

/** The field of users, groups and projects that `with_custom_attributes` adds. */
export const CustomAttributes = Type.Array(CustomAttribute)

/** Parameter for administrators, of replies with one or more things; ignored for others. */
export const withCustomAttributes = {
  with_custom_attributes: Type.Unsafe<boolean>({ ...Off, description: 'Include custom attributes; for administrators' }),
}

/** Parameters of a list: those above, and `custom_attributes[key]=value`. */
export const customAttributesFilter = {
  ...withCustomAttributes,
  custom_attributes: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 50,
      additionalProperties: { type: 'string' },
      description: 'Filter by custom attributes, all of which must match: custom_attributes[key]=value; for administrators',
    }),
  ),
}

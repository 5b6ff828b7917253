/**
 * @module Parameters that the contract lacks (Rule 11): a request without any of them gets the contract's response,
 * byte for byte. Each is optional, so that its presence shows that a request has it.
 */

import { z } from 'zod'

const additions = z.registry()

/** Makes a parameter optional and marks it. A schema derived from the result has no mark. */
export function addition<Param extends z.ZodType>(param: Param): z.ZodOptional<Param> {
  const optional = param.optional()
  additions.add(optional)
  return optional
}

export const isAddition = (param: z.ZodType): boolean => additions.has(param)

import pino, { type Logger } from 'pino'
import type { Config } from '../config.ts'

/** A write for each line would be a tenth of a request's CPU time, so lines are buffered for up to 500 ms. */
const logging = { sync: false, minLength: 8_192, periodicFlush: 500 } as const

/** Redis errors contain their command's arguments, including the password. */
const secrets = ['err.command', 'cause.command']

/** @param dest file descriptor: 1 is stdout. */
export const createLogger = ({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>, dest = 1): Logger =>
  pino({ level: LOG_LEVEL, redact: secrets }, pino.destination({ ...logging, dest }))

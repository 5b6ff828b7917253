import { configureGlobal } from 'fast-check'

/** SEED of a failed run gives its properties the same cases again. */
if (process.env.SEED !== undefined) configureGlobal({ seed: Number(process.env.SEED) })

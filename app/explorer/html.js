// @ts-check
/** @module Preact and htm: templates without a build, whose texts are text nodes. */

import htm from './served/htm.js'
import { h } from './served/preact.js'

export const html = htm.bind(h)
export { createContext, render } from './served/preact.js'
export {
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from './served/preact-hooks.js'

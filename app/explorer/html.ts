/** @module Preact and htm: templates without a compiler, whose texts are text nodes. */

import htm from 'htm'
import { h } from 'preact'

export const html = htm.bind(h)
export { createContext, render } from 'preact'
export {
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'preact/hooks'

/** @module Preact and htm: templates without a compiler, whose texts are text nodes. */

export { html } from 'htm/preact'
export { createContext, render } from 'preact'
export {
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'preact/hooks'

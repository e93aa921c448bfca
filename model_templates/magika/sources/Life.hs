{-# LANGUAGE TupleSections #-}

module Main (main) where

import qualified Data.Map.Strict as Map
import Data.Set (Set)
import qualified Data.Set as Set

type Cell = (Int, Int)

-- | The eight cells around one.
neighbours :: Cell -> [Cell]
neighbours (x, y) =
  [ (x + dx, y + dy)
  | dx <- [-1, 0, 1]
  , dy <- [-1, 0, 1]
  , (dx, dy) /= (0, 0)
  ]

-- | One generation of Conway's game of life.
step :: Set Cell -> Set Cell
step alive = Map.keysSet (Map.filterWithKey survives counts)
  where
    counts = Map.fromListWith (+) (map (,1 :: Int) (concatMap neighbours (Set.toList alive)))
    survives cell n = n == 3 || (n == 2 && cell `Set.member` alive)

render :: Set Cell -> String
render alive = unlines [[mark (x, y) | x <- [0 .. 9]] | y <- [0 .. 9]]
  where
    mark cell
      | cell `Set.member` alive = '#'
      | otherwise = '.'

main :: IO ()
main = mapM_ (putStrLn . render) (take 4 (iterate step glider))
  where
    glider = Set.fromList [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)]

package org.example.calc

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

sealed trait Token
case class Number(value: BigDecimal) extends Token
case class Operator(sign: Char) extends Token

object Parser {
  private val Digits = raw"(\d+(?:\.\d+)?)(.*)".r
  private val Signs = raw"([-+*/])(.*)".r

  @tailrec
  def tokens(text: String, found: List[Token] = Nil): Try[List[Token]] = text.trim match {
    case ""                 => Success(found.reverse)
    case Digits(number, rest) => tokens(rest, Number(BigDecimal(number)) :: found)
    case Signs(sign, rest)    => tokens(rest, Operator(sign.head) :: found)
    case other              => Failure(new IllegalArgumentException(s"cannot read '$other'"))
  }

  def evaluate(tokens: List[Token]): Option[BigDecimal] = tokens match {
    case Number(left) :: Operator(sign) :: Number(right) :: rest =>
      val value = sign match {
        case '+' => left + right
        case '-' => left - right
        case '*' => left * right
        case '/' => left / right
      }
      evaluate(Number(value) :: rest)
    case Number(value) :: Nil => Some(value)
    case _                    => None
  }

  def main(args: Array[String]): Unit =
    println(tokens(args.mkString(" ")).map(evaluate))
}

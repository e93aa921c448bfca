# frozen_string_literal: true

require 'bigdecimal'
require 'date'

# A double-entry ledger kept in memory.
class Ledger
  Entry = Struct.new(:date, :debit, :credit, :amount, keyword_init: true)

  include Enumerable

  def initialize
    @entries = []
  end

  def post(debit:, credit:, amount:, date: Date.today)
    raise ArgumentError, 'amount must be positive' unless amount.positive?

    @entries << Entry.new(date: date, debit: debit, credit: credit, amount: BigDecimal(amount.to_s))
    self
  end

  def each(&block)
    @entries.each(&block)
  end

  def balance(account)
    sum do |entry|
      if entry.debit == account then entry.amount
      elsif entry.credit == account then -entry.amount
      else 0
      end
    end
  end
end

if __FILE__ == $PROGRAM_NAME
  ledger = Ledger.new
  ledger.post(debit: :cash, credit: :sales, amount: 120)
  ledger.post(debit: :rent, credit: :cash, amount: 80)
  puts "cash: #{ledger.balance(:cash).to_s('F')}"
end

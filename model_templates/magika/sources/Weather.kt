package org.example.weather

import kotlin.math.roundToInt

sealed class Reading {
    abstract val station: String

    data class Temperature(override val station: String, val celsius: Double) : Reading()
    data class Wind(override val station: String, val metresPerSecond: Double, val degrees: Int) : Reading()
}

interface Sink {
    fun accept(reading: Reading)
}

class Summary : Sink {
    private val latest = mutableMapOf<String, MutableList<Reading>>()

    override fun accept(reading: Reading) {
        latest.getOrPut(reading.station) { mutableListOf() } += reading
    }

    fun lines(): List<String> = latest.map { (station, readings) ->
        val text = readings.joinToString { reading ->
            when (reading) {
                is Reading.Temperature -> "${reading.celsius.roundToInt()} °C"
                is Reading.Wind -> "${reading.metresPerSecond} m/s from ${reading.degrees}°"
            }
        }
        "$station: $text"
    }
}

fun main() {
    val summary = Summary()
    listOf(
        Reading.Temperature("harbour", 14.6),
        Reading.Wind("harbour", 7.5, 240),
        Reading.Temperature("hill", 9.1),
    ).forEach(summary::accept)
    summary.lines().forEach(::println)
}
